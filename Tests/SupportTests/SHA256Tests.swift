import Support
import Testing

/// SHA-256: test vectors of FIPS 180-4, whole and in pieces.
@Suite struct SHA256Tests {
  private static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

  @Test func matchesStandardTestVectors() {
    #expect(SHA256.hexadecimal(Array("abc".utf8)) == Self.abc)
    #expect(SHA256.hexadecimal([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test func digestOfPiecesEqualsDigestOfWhole() {
    var digest = SHA256()
    for piece in ["a", "", "bc"] { digest.update(Array(piece.utf8)) }
    #expect(digest.hexadecimal == Self.abc)
    // Reading the digest does not change it.
    #expect(digest.hexadecimal == Self.abc)
  }
}

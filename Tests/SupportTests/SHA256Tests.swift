import Support
import Testing

/// The digest SHA-256: vectors of FIPS 180-4, at once and piece by piece.
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
    // Asking changes nothing.
    #expect(digest.hexadecimal == Self.abc)
  }
}

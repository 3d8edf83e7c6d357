/// Finds what was meant where a name is mistyped.
enum Spelling {
  /// The name that a word differs from by the fewest letters, nil where more than a third of them differ.
  static func nearest(to word: String, among names: [String]) -> String? {
    // What is far longer than any name is none of them.
    guard word.count <= 64 else { return nil }
    let plain = word.lowercased()
    let found = names.map { (name: $0, distance: distance(plain, $0)) }.min { $0.distance < $1.distance }
    guard let found, found.distance <= max(2, found.name.count / 3) else { return nil }
    return found.name
  }

  /// Insertions, deletions and substitutions between two words (Levenshtein).
  private static func distance(_ one: String, _ other: String) -> Int {
    let letters = Array(other)
    var row = Array(0...letters.count)
    for (index, letter) in one.enumerated() {
      var next = [index + 1]
      for (column, second) in letters.enumerated() {
        next.append(min(row[column] + (letter == second ? 0 : 1), row[column + 1] + 1, next[column] + 1))
      }
      row = next
    }
    return row.last ?? one.count
  }
}

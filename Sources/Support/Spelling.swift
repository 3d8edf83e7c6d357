/// Suggests names for misspelled ones.
package enum Spelling {
  /// Returns a sentence that suggests the most similar name, with a space before it; empty if none is similar.
  package static func advice(for word: String, among names: [String]) -> String {
    nearest(to: word, among: names).map(advice) ?? ""
  }

  /// Returns a sentence that suggests a name, with a space before it.
  package static func advice(_ name: String) -> String { " Did you mean `\(name)`?" }

  /// Returns the most similar name by edit distance; nil if more than a third of the letters differ.
  package static func nearest(to word: String, among names: [String]) -> String? {
    nearest(to: word, among: names) { max(2, $0 / 3) }
  }

  /// Returns the name that a word almost certainly misspells: at most one letter in four differs, or one of a short name,
  /// or only the case. nil for the name itself. For refusing what would otherwise be ignored.
  package static func misspelled(_ word: String, among names: [String]) -> String? {
    names.contains(word) ? nil : nearest(to: word, among: names) { max(1, $0 / 4) }
  }

  /// Returns the most similar name, if it differs in no more letters than `most` allows a name of its length.
  private static func nearest(to word: String, among names: [String], most: (_ letters: Int) -> Int) -> String? {
    // No name is nearly as long.
    guard word.utf8.count <= 64 else { return nil }
    let plain = word.lowercased()
    let found = names.map { (name: $0, distance: distance(plain, $0)) }.min { $0.distance < $1.distance }
    guard let found, found.distance <= most(found.name.utf8.count), found.distance < plain.utf8.count
    else { return nil }
    return found.name
  }

  /// Returns the number of insertions, deletions, substitutions and swaps of neighbours between two words (optimal
  /// string alignment).
  private static func distance(_ one: String, _ other: String) -> Int {
    let (word, letters) = (Array(one.utf8), Array(other.utf8))
    var (before, row) = ([Int](), Array(0...letters.count))
    for (index, letter) in word.enumerated() {
      var next = [index + 1]
      for (column, second) in letters.enumerated() {
        var least = min(row[column] + (letter == second ? 0 : 1), row[column + 1] + 1, next[column] + 1)
        if index > 0, column > 0, letter == letters[column - 1], word[index - 1] == second {
          least = min(least, before[column - 1] + 1)
        }
        next.append(least)
      }
      (before, row) = (row, next)
    }
    return row.last ?? one.utf8.count
  }
}

/// Computes the Levenshtein distance up to a limit.
///
/// - Returns: The number of insertions, deletions and substitutions, or `limit + 1` if it exceeds `limit`.
func editDistance<Element: Equatable>(
  _ first: ArraySlice<Element>, _ second: ArraySlice<Element>, limit: Int
) -> Int {
  guard abs(first.count - second.count) <= limit else { return limit + 1 }
  var row = Array(0...second.count)
  for (i, a) in first.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    var least = row[0]
    for (j, b) in second.enumerated() {
      let above = row[j + 1]
      row[j + 1] = min(above + 1, row[j] + 1, diagonal + (a == b ? 0 : 1))
      diagonal = above
      least = min(least, row[j + 1])
    }
    if least > limit { return limit + 1 }
  }
  return min(row[second.count], limit + 1)
}

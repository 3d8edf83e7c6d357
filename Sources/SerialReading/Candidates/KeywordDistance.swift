/// The least number of insertions, deletions and substitutions that turn one sequence into the other (Levenshtein).
func editDistance(_ a: ArraySlice<Character>, _ b: [Character]) -> Int {
  var row = Array(0...b.count)
  for (i, first) in a.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for (j, second) in b.enumerated() {
      let substitution = diagonal + (first == second ? 0 : 1)
      diagonal = row[j + 1]
      row[j + 1] = min(row[j + 1] + 1, row[j] + 1, substitution)
    }
  }
  return row[b.count]
}

import TextReading

/// Finds the words after which a serial stands.
enum Keywords {
  /// For every place after a keyword how clearly it was read, 1...3: `Serial` within two errors, `SN`, `S/N`, `No.`.
  static func ends(in characters: [Character]) -> [Int: Int] {
    var ends: [Int: Int] = [:]
    func note(_ end: Int, _ strength: Int) { ends[end] = max(ends[end] ?? 0, strength) }
    let lower = characters.map { Character($0.lowercased().prefix(1).description) }
    let serial = Array("serial")
    for start in characters.indices {
      guard "Ss5".contains(characters[start]) else { continue }
      if start + 6 <= characters.count {
        let errors = editDistance(lower[start..<start + 6], serial)
        if errors <= 2 { note(start + 6, 3 - errors) }
      }
      if start + 5 <= characters.count, start + 4 <= characters.count - 1,
        editDistance(lower[start..<start + 5], serial) <= 1
      {
        note(start + 5, 1)
      }
      if let end = abbreviationEnd(characters, from: start) { note(end, 2) }
    }
    for word in ["No.", "Number:", "Number"] {
      let letters = Array(word)
      guard characters.count >= letters.count else { continue }
      for start in 0...characters.count - letters.count
      where Array(characters[start..<start + letters.count]) == letters {
        note(start + letters.count, 2)
      }
    }
    return ends
  }

  /// `SL#`, `Sl.#` and the like as labels abbreviate it, or `S/N:`.
  private static func abbreviationEnd(_ characters: [Character], from start: Int) -> Int? {
    guard characters[start] == "S", start + 2 < characters.count else { return nil }
    if characters[start + 1] == "/", characters[start + 2] == "N" {
      let colon = start + 3
      return colon < characters.count && characters[colon] == ":" ? colon + 1 : colon
    }
    guard "lLIi1".contains(characters[start + 1]) else { return nil }
    let mark = characters[start + 2] == "." ? start + 3 : start + 2
    return mark < characters.count && "#t%H".contains(characters[mark]) ? mark + 1 : nil
  }

  /// Whether the text holds something that promises a serial, although none was parsed: worth reading once more.
  static func promisesSerial(_ text: String) -> Bool {
    let characters = Array(text)
    func matches(_ sets: [String], at start: Int) -> Bool {
      start + sets.count <= characters.count
        && sets.indices.allSatisfy { sets[$0].contains(characters[start + $0]) }
    }
    return characters.indices.contains { start in
      matches(["Ss5", "eacr", "r", "il1", "a"], at: start) || matches(["C", "0O", "2"], at: start)
    }
  }
}

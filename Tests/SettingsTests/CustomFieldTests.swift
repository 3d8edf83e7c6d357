import Foundation
import Settings
import Testing

/// Custom fields: their names, patterns and matching values.
@Suite struct CustomFieldTests {
  private static func fields(_ text: String) throws -> [CustomField] {
    try Settings.load(file: nil, environment: [:], flags: [("fields.custom", text, "--set")]).fields.custom
  }

  @Test func parsesNamesAndPatternsInOrder() throws {
    #expect(try Self.fields("").isEmpty)
    let fields = try Self.fields(#" asset_tag=RM-\d{5}  grade Location2 "#)
    #expect(fields.map(\.name) == ["asset_tag", "grade", "Location2"])
    #expect(fields.map { $0.pattern?.text } == [#"RM-\d{5}"#, nil, nil])
  }

  @Test(arguments: [
    ("a-b", "letters, digits"), ("grade Grade", "twice"), ("serial", "no column of a list has (serial is one)"),
    ("a b c d e f g h i j k", "at most 10"), ("tag=", "is empty"), ("tag=(", "( without a )"),
    ("tag=a)", ") without a ("),
    ("tag=[", "[ without a ]"), ("tag=[]", "empty []"), ("tag=a**", "two quantifiers"), ("tag=*", "nothing before it"),
    ("tag=a{3", "{2,5}"), ("tag=a{5,2}", "{2,5}"), ("tag=a{999}", "{2,5}"), (#"tag=\1"#, #"has \1"#),
    ("tag=(?=a)", "(?:"),
    ("tag=((a{200}){200}){200}", "repeats too much"), ("=a", "letters, digits"),
  ])
  func rejectsInvalidFields(text: String, words: String) throws {
    let error = #expect(throws: SettingsError.self) { try Self.fields(text) }
    #expect(error?.key == "fields.custom" && error?.problem.contains(words) == true, "\(error?.problem ?? "")")
  }

  @Test(arguments: [
    (#"RM-\d{5}"#, ["RM-00042"], ["RM-0042", "RM-000421", "rm-00042", "xRM-00042", ""]),
    (#"^(IT|AV)[0-9A-F]{2,3}$"#, ["ITA0", "AV123"], ["IT1", "ITxx", "IV12"]),
    (#"a?b*c+"#, ["c", "abbcc", "bc"], ["ab", "aac", ""]),
    (#"(?:ab|a)(bc|c)"#, ["abc", "abbc", "ac"], ["ab", "abcc"]),
    (#"[^-_ ]+\.\w"#, ["x.y", "é.1"], ["-.y", "x.y.", "x y.z"]),
    ("...", ["abc", "é語x"], ["ab", "abcd"]),
    (#"A{2,}-?[A-Z\d]"#, ["AAB", "AAA-7"], ["AB", "AA-"]),
    (#"[a-c-]+"#, ["a-b"], ["d"]),
  ])
  func patternsMatchWholeValues(pattern: String, matching: [String], others: [String]) throws {
    let pattern = try ValuePattern(pattern)
    for value in matching { #expect(pattern.matches(value), "\(value)") }
    for value in others { #expect(!pattern.matches(value), "\(value)") }
  }

  /// Patterns that would take exponential time with backtracking.
  @Test func patternsMatchInLinearTime() throws {
    let value = String(repeating: "a", count: 199) + "b"
    for pattern in ["(a+)+", "(a|aa)+", "(a*)*", "(a?){100}a{100}", "((a{0,9}){0,9}){0,9}"] {
      #expect(try !ValuePattern(pattern).matches(value), "\(pattern)")
    }
  }

  @Test func trimsValuesToOneLine() throws {
    let field = CustomField(name: "grade")
    #expect(field.checked("\u{A0} A 1\t") == .success("A 1"))
    #expect(field.checked(" ") == .failure(.length))
    #expect(field.checked(String(repeating: "x", count: 201)) == .failure(.length))
    for text in ["a\nb", "a\u{0}b", "a\u{2028}b", "a\u{7F}"] { #expect(field.checked(text) == .failure(.control)) }
  }

  @Test func assignsCodesToFieldsByPattern() throws {
    let fields = try Self.fields(#"asset_tag=RM-\d{5} grade bin=B\d"#)
    #expect(fields.values(inCodes: ["RM-00042", "B7", "anything"]) == ["asset_tag": "RM-00042", "bin": "B7"])
    // Two matching codes are ambiguous.
    #expect(fields.values(inCodes: ["RM-00042", "RM-00043", "B7", "B7"]) == ["bin": "B7"])
    #expect(fields.values(inCodes: []).isEmpty)
  }
}

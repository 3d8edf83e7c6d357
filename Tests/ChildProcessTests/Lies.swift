import Foundation

/// The JSON of a reader's answer, with fields that a test can replace.
struct Lie {
  /// The JSON of each field of a valid answer.
  var fields = [
    "id": "ID", "verdict": #""accepted""#, "serial": #""C02G414GMD6N""#, "confidence": "0.9", "method": #""test""#,
    "strategy": #""text""#, "roiIndex": "1", "x": "10.5", "y": "20", "corners": "[CORNER,CORNER,CORNER,CORNER]",
    "traceSeconds": "0.1", "traceConfidence": "0.9", "traceSerial": #""C02G414GMD6N""#, "outcome": #""read""#,
    "note": #""a note""#, "width": "4", "height": "3", "processingTime": "0.5", "cpuTime": "0.25",
    "strategyUsed": #""text""#, "refused": "[]", "characters": "[CHARACTER]", "character": #""C""#,
    "characterConfidence": "0.9", "alternatives": "[ALTERNATIVE]", "alternativeConfidence": "0.1",
    "fields": #"[{"kind":"imei","text":"356938035643809","confidence":0.9,"check":true}]"#,
    "doubts": #"[{"code":"no_label","sentence":"No label."}]"#, "serials": "[SERIAL]", "trace": "[TRACE]",
    "notes": "[NOTE]", "thumbnailBytes": "0",
  ]

  /// - Parameter changed: Fields with the JSON that replaces the valid one.
  init(_ changed: [String: String] = [:]) { fields.merge(changed) { $1 } }

  /// The JSON of the answer to the request with this number.
  func json(id: Int) -> String {
    func field(_ name: String) -> String { fields[name] ?? "null" }
    let corner = #"{"x":\#(field("x")),"y":\#(field("y"))}"#
    let region = #"{"corners":\#(field("corners").replacingOccurrences(of: "CORNER", with: corner))}"#
    let serial =
      #"{"serial":\#(field("serial")),"confidence":\#(field("confidence")),"method":\#(field("method")),"#
      + #""strategy":\#(field("strategy")),"roiIndex":\#(field("roiIndex")),"region":\#(region),"isValid":true,"#
      + #""characters":\#(field("characters")),"doubts":\#(field("doubts")),"fields":\#(field("fields"))}"#
    let alternative = #"{"character":"G","confidence":\#(field("alternativeConfidence"))}"#
    let character =
      #"{"character":\#(field("character")),"confidence":\#(field("characterConfidence")),"#
      + #""alternatives":\#(field("alternatives"))}"#
    let trace =
      #"{"strategy":"text","seconds":\#(field("traceSeconds")),"outcome":\#(field("outcome")),"#
      + #""serial":\#(field("traceSerial")),"confidence":\#(field("traceConfidence"))}"#
    let reading =
      #"{"verdict":\#(field("verdict")),"serials":\#(field("serials")),"refused":\#(field("refused")),"preset":"etched","presetWasDetected":true,"#
      + #""strategyUsed":\#(field("strategyUsed")),"fallbackUsed":false,"trace":\#(field("trace")),"#
      + #""notes":\#(field("notes")),"photoSize":{"width":\#(field("width")),"height":\#(field("height"))},"#
      + #""processingTime":\#(field("processingTime")),"cpuTime":\#(field("cpuTime"))}"#
    return
      #"{"answer":{"id":\#(field("id")),"_1":{"reading":{"_0":\#(reading),"thumbnailBytes":\#(field("thumbnailBytes"))}}}}"#
      .replacingOccurrences(of: "SERIAL", with: serial).replacingOccurrences(of: "CHARACTER", with: character)
      .replacingOccurrences(of: "ALTERNATIVE", with: alternative).replacingOccurrences(of: "TRACE", with: trace)
      .replacingOccurrences(of: "NOTE", with: field("note")).replacingOccurrences(of: "ID", with: "\(id)")
  }

  /// A message preceded by its two lengths, and its attachment.
  static func frame(_ json: String, attachment: [UInt8] = [], messageLength: Int? = nil, attachmentLength: Int? = nil)
    -> [UInt8]
  {
    let lengths = [messageLength ?? json.utf8.count, attachmentLength ?? attachment.count]
    return lengths.flatMap { length in (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } }
      + Array(json.utf8) + attachment
  }

  /// A report of progress.
  static func step(id: Int, fraction: String = "0.5", message: String = #""on its way""#) -> String {
    #"{"step":{"id":\#(id),"_1":{"fraction":\#(fraction),"message":\#(message)}}}"#
  }

  /// A failure of the photo.
  static func failure(id: Int, code: String, detail: String = #""It failed.""#) -> String {
    #"{"answer":{"id":\#(id),"_1":{"failure":{"_0":{"code":"\#(code)","detail":\#(detail),"isFinal":false}}}}}"#
  }
}

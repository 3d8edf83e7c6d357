import Foundation

/// The JSON of a tracker's answer, with fields that a test can replace.
struct FrameLie {
  /// The JSON of each field of a valid answer.
  var fields = [
    "width": "4", "height": "3", "side": "4", "objects": "[OBJECT]", "confidence": "0.9", "sharpness": "0", "left": "0",
    "bottom": "2", "x": "0", "y": "0", "box": "[LEFT,0,2,BOTTOM]", "quad": "[CORNER,[2,0],[2,2],[0,2]]",
    "isPlanar": "true", "id": "ID",
  ]

  /// - Parameter changed: Fields with the JSON that replaces the valid one.
  init(_ changed: [String: String] = [:]) { fields.merge(changed) { $1 } }

  /// The JSON of the answer to the request with this number.
  func json(id: Int) -> String {
    func field(_ name: String) -> String { fields[name] ?? "null" }
    let object =
      #"{"box":\#(field("box")),"quad":\#(field("quad")),"confidence":\#(field("confidence")),"#
      + #""isPlanar":\#(field("isPlanar")),"sharpness":\#(field("sharpness"))}"#
    let report =
      #"{"width":\#(field("width")),"height":\#(field("height")),"side":\#(field("side")),"#
      + #""objects":\#(field("objects"))}"#
    return Self.answer(#"{"report":{"_0":\#(report)}}"#, id: field("id"))
      .replacingOccurrences(of: "OBJECT", with: object).replacingOccurrences(of: "LEFT", with: field("left"))
      .replacingOccurrences(of: "BOTTOM", with: field("bottom"))
      .replacingOccurrences(of: "CORNER", with: "[\(field("x")),\(field("y"))]")
      .replacingOccurrences(of: "ID", with: "\(id)")
  }

  /// A failure of the frame.
  static func failure(id: Int, code: String, detail: String = #""It failed.""#) -> String {
    answer(#"{"failure":{"_0":{"code":"\#(code)","detail":\#(detail)}}}"#, id: "\(id)")
  }

  /// Any answer, given as JSON.
  static func answer(_ json: String, id: String) -> String { #"{"answer":{"id":\#(id),"_1":\#(json)}}"# }

  /// A message preceded by its two lengths, and its attachment.
  static func frame(_ json: String, masks: [UInt8] = [], messageLength: Int? = nil, masksLength: Int? = nil) -> [UInt8]
  {
    let lengths = [messageLength ?? json.utf8.count, masksLength ?? masks.count]
    return lengths.flatMap { length in (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } }
      + Array(json.utf8) + masks
  }
}

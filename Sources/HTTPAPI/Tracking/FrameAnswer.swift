import Foundation
import Hummingbird
import NIOCore
import ScanModel
import Support
import TrackingSessions

extension FrameAnswer.Body: WireObject {
  static let wireName = "TrackedFrame"
  static let wireNotes: [String: Schema] = [
    "bounding_boxes": Schema(["items": ["minItems": 4, "maxItems": 4]]).about(
      "As [x0, y0, x1, y1]; null for an object out of sight."),
    "frame_shape": Schema(["minItems": 2, "maxItems": 2]).about("Height and width of the frame as sent."),
    "frame_index": .about("Counts the session's frames from 1; missing in the answer of /initialize."),
    "confidences": Schema(["items": Schema.share.tree]),
    "quads": Schema(["items": Schema.corners.tree]).about(
      "Four corners of each object; null if unknown."),
    "working_size": .about("The longer side at which the frame was tracked."),
    "restarted": .about("The session was restarted from its first frame."),
    "serials": .about("Each object's serial by its frames so far; only with `read_serials`."),
    "masks": .about("Height x width bytes each, 0 or 1, in base64; only with `include_masks`."),
  ]
}

extension VotedSerial: WireObject {
  static let wireName = "VotedSerial"
  static let wireNotes: [String: Schema] = [
    "confidence": .share, "verdict": .about("`accepted` or `uncertain`."),
    "frames": .about("Number of frames with this read."),
  ]
}

/// The response to a frame. Masks are megabytes of text, so they are appended to the encoded rest.
struct FrameAnswer {
  struct Body: Codable {
    var success = true
    var sessionID: String
    var objectIDs: [Int]
    var boundingBoxes: [[Double]?]
    var frameShape: [Int]
    var frameIndex: Int?
    var confidences: [Double?]
    var quads: [[[Double]]?]
    var workingSize: Int
    var restarted: Bool?
    var serials: [VotedSerial?]?
    /// Always nil: masks are appended to the encoded value.
    var masks: [String?]?

    private enum CodingKeys: String, CodingKey {
      case success
      case sessionID = "session_id"
      case objectIDs = "object_ids"
      case boundingBoxes = "bounding_boxes"
      case frameShape = "frame_shape"
      case frameIndex = "frame_index"
      case confidences
      case quads
      case workingSize = "working_size"
      case restarted
      case serials
      case masks
    }
  }

  let sessionID: String
  let frame: SessionFrame
  /// Whether masks were requested.
  let hasMasks: Bool

  /// Returns the response as JSON.
  func response() throws -> Response {
    let report = frame.tracked.report
    let body = Body(
      sessionID: sessionID, objectIDs: frame.ids, boundingBoxes: report.objects.map { $0?.box },
      frameShape: [report.height, report.width], frameIndex: frame.index == 0 ? nil : frame.index,
      confidences: report.objects.map { $0.map { Confidence.displayed($0.confidence) } },
      quads: report.objects.map { $0?.quad },
      workingSize: report.side, restarted: frame.hasBegunAgain ? true : nil, serials: frame.serials)
    let written = try WireFormat.encode(body)
    guard hasMasks else { return .json(ByteBuffer(bytes: written)) }
    var text = ByteBuffer(bytes: written.dropLast())
    text.writeString(",\"masks\":[")
    appendMasks(to: &text)
    text.writeString("]}")
    return .json(text)
  }

  private func appendMasks(to text: inout ByteBuffer) {
    let report = frame.tracked.report
    let size = report.width.multipliedReportingOverflow(by: report.height).partialValue
    var rest = frame.tracked.masks[...]
    for (index, object) in report.objects.enumerated() {
      if index > 0 { text.writeString(",") }
      guard object != nil else {
        text.writeString("null")
        continue
      }
      text.writeString("\"")
      text.writeBytes(Data(rest.prefix(max(0, size))).base64EncodedData())
      text.writeString("\"")
      rest = rest.dropFirst(max(0, size))
    }
  }
}

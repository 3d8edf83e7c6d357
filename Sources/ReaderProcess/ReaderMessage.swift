import ReaderProtocol

/// What the server asks of a reader; the photo is the frame's attachment.
struct ReaderQuestion: Codable {
  /// New with every question; the answers bear it, so that no answer can go to another photo.
  var id: UInt64
  var request: ReadRequest
}

/// What a reader says.
enum ReaderAnswer: Codable {
  /// Warmed up; said once, first.
  case ready
  /// Can't start, and why; nothing follows.
  case unavailable(String)
  /// How far the question with this id has come.
  case progress(id: UInt64, ReadProgress)
  /// The end of the question with this id; the picture with the reads drawn in, if any, is the frame's attachment.
  case reading(id: UInt64, Reading)
  /// The end of the question with this id.
  case failure(id: UInt64, ReadFailure)
}

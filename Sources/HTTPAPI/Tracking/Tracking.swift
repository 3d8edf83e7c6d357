import Foundation
import Hummingbird
import JobStore
import ScanModel
import TrackingSessions

/// `POST /initialize`, `POST /track` and `DELETE /sessions/{session_id}`: tracks objects from frame to frame.
struct Tracking: Sendable {
  let sessions: TrackingSessions
  let upload: FrameUpload
  let batches: any BatchStore

  var endpoints: [Endpoint] {
    [
      Endpoint(
        .post, "/initialize", "BeginToFollowObjects", "Start tracking objects",
        "The first frame of a video with the boxes of up to five objects in it, or points on them.", topic: .tracking,
        access: .scan, bodies: [.json(FrameRequest.First.self), .form(FrameRequest.First.self)],
        answers: [.json(FrameAnswer.Body.self)],
        errors: Self.errors + [.tooManyObjects, .tooManySessions, .batchNotFound, .batchEnded], handler: initialize),
      Endpoint(
        .post, "/track", "FollowObjects", "Track objects into the next frame",
        "Locates the objects of a session in its next frame. A frame that arrives while the previous one is being tracked is "
          + "refused.",
        topic: .tracking, access: .scan, bodies: [.json(FrameRequest.Next.self), .form(FrameRequest.Next.self)],
        answers: [.json(FrameAnswer.Body.self)], errors: Self.errors + [.sessionNotFound], handler: track),
      Endpoint(
        .delete, "/sessions/{session_id}", "EndASession", "End a session", "Deletes all its data.", topic: .tracking,
        access: .scan, parameters: [Parameter<String>.path("session_id", "The session.")],
        answers: [WireAnswer(status: 204, about: "The session has ended.")], errors: [.sessionNotFound], handler: end),
    ]
  }

  /// The errors of a frame.
  private static let errors: [ErrorCode] = [
    .unsupportedImage, .severalImages, .damagedImage, .imageTooLarge, .invalidBoundingBox, .frameInProgress,
    .tooManyUploads, .trackerLost, .trackerUnavailable,
  ]

  private static let batch = CommonParameters.batch("The id of the batch in which serials are saved.")

  private func initialize(_ request: Request, _ context: APIContext) async throws -> Response {
    try await upload.withFrame(request, context) { frame in
      let batch = try Self.batch.value(of: frame.fields.batch)
      if let batch { try await batches.requireOpen(batch: batch) }
      let beginning = try Beginning(frame.fields, keyID: context.caller.keyID, batchID: batch)
      let begun = try await tracked(frame) {
        try await sessions.begin(
          scoped(frame.fields.sessionID, context), beginning, picture: frame.picture, client: context.callerName)
      }
      return try FrameAnswer(sessionID: frame.fields.sessionID, frame: begun, hasMasks: beginning.masks).response()
    }
  }

  private func track(_ request: Request, _ context: APIContext) async throws -> Response {
    try await upload.withFrame(request, context) { frame in
      let masks = frame.fields.includeMasks ?? false
      let next = try await tracked(frame) {
        try await sessions.track(scoped(frame.fields.sessionID, context), picture: frame.picture, masks: masks)
      }
      return try FrameAnswer(sessionID: frame.fields.sessionID, frame: next, hasMasks: masks).response()
    }
  }

  private func end(_ request: Request, _ context: APIContext) async throws -> Response {
    let written = try context.parameters.require("session_id")
    let id = written.removingPercentEncoding ?? written
    guard await sessions.end(scoped(id, context)) else { throw APIError.sessionNotFound(id) }
    return Response(status: .noContent)
  }

  /// Returns a session id that is unique per key, because clients choose theirs independently.
  private func scoped(_ id: String, _ context: APIContext) -> String { "\(context.caller.keyID ?? "") \(id)" }

  private func tracked(
    _ frame: FrameRequest, _ work: () async throws -> SessionFrame
  ) async throws -> SessionFrame {
    do {
      return try await work()
    } catch let problem as SessionProblem {
      throw APIError(problem, session: frame.fields.sessionID)
    } catch let failure as TrackingFailure {
      throw APIError(failure)
    }
  }
}

extension Beginning {
  /// Throws 422 if there are no objects or too many, or if their coordinates or ids are invalid.
  fileprivate init(_ fields: FrameRequest.Fields, keyID: String?, batchID: String?) throws(APIError) {
    let (boxes, points) = (fields.boundingBoxes ?? [], fields.points ?? [])
    let count = boxes.count + points.count
    try Self.check(boxes, in: "bounding_boxes", count: 4, rule: "x0, y0, x1, y1 with x0 < x1 and y0 < y1")
    try Self.check(points, in: "points", count: 2, rule: "x, y")
    guard count > 0 else {
      throw APIError(.invalidBoundingBox, "`bounding_boxes` and `points` are empty: name at least one object.")
    }
    guard count <= TrackingSessions.objectLimit else {
      throw APIError(SessionProblem.tooManyObjects(limit: TrackingSessions.objectLimit), session: fields.sessionID)
    }
    let ids = fields.objectIDs ?? Array((1...TrackingSessions.objectLimit).prefix(count))
    guard ids.count == count, Set(ids).count == count else {
      throw APIError.invalidParameter("object_ids", "must hold a different number for each object (\(count) in all)")
    }
    let isSaved = fields.readSerials == true && fields.persist == true
    self.init(
      boxes: boxes, points: points, ids: ids, masks: fields.includeMasks ?? false,
      readsSerials: fields.readSerials ?? false,
      owner: isSaved ? LiveSerial.Owner(sessionID: fields.sessionID, keyID: keyID, batchID: batchID) : nil)
  }

  /// Throws for invalid coordinates, and for shares of the frame's size instead of pixels. Whether they are inside the
  /// frame is known only once it is decoded.
  private static func check(_ places: [[Double]], in field: String, count: Int, rule: String) throws(APIError) {
    for (index, numbers) in places.enumerated() {
      let name = "`\(field)[\(index)]`"
      guard numbers.count == count, count == 2 || (numbers[0] < numbers[2] && numbers[1] < numbers[3]) else {
        throw APIError(.invalidBoundingBox, "\(name) must be \(rule), in pixels of the frame.")
      }
      let areShares = numbers.allSatisfy { (0...1).contains($0) }
      guard !areShares || (count == 2 && numbers.allSatisfy { $0 == $0.rounded() }) else {
        throw APIError(
          .invalidBoundingBox,
          "\(name) lies within 0...1. Coordinates are pixels of the frame, not shares of its size.")
      }
    }
  }
}

extension APIError {
  fileprivate static func sessionNotFound(_ id: String) -> APIError {
    APIError(
      .sessionNotFound,
      "There is no session `\(id.shown)`: it was never started, was idle for too long, or has ended. "
        + "Start it with /initialize.")
  }

  fileprivate init(_ problem: SessionProblem, session: String) {
    switch problem {
    case .notFound: self = .sessionNotFound(session)
    case .busy(let seconds):
      let milliseconds = Int(exactly: (min(seconds, 1e6) * 1000).rounded()) ?? 0
      self.init(
        .frameInProgress,
        "The previous frame is still being processed; the last one took \(milliseconds) ms. "
          + "Send the latest frame after its response.",
        retryAfter: 1)
    case .full(let seconds):
      self.init(.tooManySessions, "The server has no room for another session. Try again later.", retryAfter: seconds)
    case .shareUsed(let limit):
      self.init(
        .tooManySessions,
        "You have \(limit) open sessions, the maximum for one client. End one with DELETE /sessions/{session_id}.",
        retryAfter: 5)
    case .tooManyObjects(let limit): self.init(.tooManyObjects, "A session tracks at most \(limit) objects.")
    }
  }

  fileprivate init(_ failure: TrackingFailure) {
    let sentence = failure.detail.prefix(1).uppercased() + failure.detail.dropFirst() + "."
    switch failure.code {
    case .unsupportedImage:
      self.init(.unsupportedImage, "The frame in `image` isn't a readable image. Send a JPEG or PNG.")
    case .damagedImage: self.init(.damagedImage, sentence)
    case .tooManyPixels: self.init(.imageTooLarge, sentence)
    case .invalidBox: self.init(.invalidBoundingBox, sentence)
    case .unknownSession, .trackerLost:
      self.init(
        .trackerLost,
        "The tracker failed on this frame and is restarting; the session continues with the next frame.",
        retryAfter: 1)
    case .trackerUnavailable:
      self.init(.trackerUnavailable, "No tracker is ready. Try again in a second.", retryAfter: 1)
    }
  }
}

import ChildProcess
import Foundation
import ScanModel

/// A tracker for tests: what it does is the frame, as text.
enum FaultyTracker {
  static func run() -> Never {
    TrackerLoop.run { question, picture throws(TrackingFailure) in
      let options: FrameOptions
      let count: Int
      switch question {
      case .begin(let first): (options, count) = (first.options, first.objectCount)
      case .track(let next): (options, count) = (next.options, next.objectCount)
      case .end: return nil
      }
      switch String(decoding: picture.prefix(4), as: UTF8.self) {
      case "say_": FaultyReader.say(picture)
      case "bad_": throw TrackingFailure(.damagedImage, "The frame is damaged.")
      default: break
      }
      let object = FrameReport.Object(box: [0, 0, 2, 2], quad: [[0, 0], [2, 0], [2, 2], [0, 2]], confidence: 0.9)
      let report = FrameReport(width: 4, height: 3, side: 4, objects: Array(repeating: object, count: count))
      return TrackedFrame(report, masks: options.masks ? Array(repeating: 1, count: 12 * count) : [])
    }
  }
}

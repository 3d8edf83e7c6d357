/// A person's decision about a photo without a saved serial, which then needs no further review.
public enum Review: String, Codable, Sendable, CaseIterable {
  /// The photo shows no serial.
  case noSerial = "no_serial"
  /// The device will be photographed again.
  case retake
}

/// The result of saving a review.
public enum ReviewResult: Sendable, Equatable {
  /// The job has the review.
  case done
  /// The photo has not been read yet.
  case notEnded
  /// A serial of the photo is saved, so there is nothing to review.
  case serialSaved
}

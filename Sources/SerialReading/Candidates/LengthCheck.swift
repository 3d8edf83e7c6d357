/// Whether the crop holds the whole serial and its characters were all counted.
struct LengthCheck: Sendable, Equatable {
  /// Ground before the first and after the last character, in heights of capitals; at most what the crop holds.
  var groundBefore: Double
  var groundAfter: Double
  /// The widest gap with ink in it between neighbouring characters' boxes, in heights of capitals.
  var uncoveredInk: Double
  /// Characters counted from the strokes in the crop less characters read.
  var strokesLessRead: Int
}

import Foundation

extension Double {
  /// Rounds to a number of decimals, for output.
  public func rounded(toPlaces places: Int) -> Double {
    let scale = pow(10, Double(places))
    return (self * scale).rounded() / scale
  }
}

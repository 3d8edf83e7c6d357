// Written by `make calibration TAKE=1`: do not edit.

/// The weights of the features of a read.
enum CalibrationWeights {
  /// The log-odds of a read whose features are all 0.
  static let constant = -7.843

  /// The log-odds per unit of a feature, 0 or more.
  static func weight(of feature: Calibration.Feature) -> Double {
    switch feature {
    case .marginLow: 0.199
    case .marginHigh: 1.447
    case .strokes: 0.857
    case .held: 1.350
    case .lattice: 1.695
    case .ground: 1.292
    case .label: 1.369
    case .plant: 0.647
    case .format: 2.574
    case .whole: 2.554
    case .secondAgrees: 0.172
    case .knownCode: 1.000
    }
  }
}

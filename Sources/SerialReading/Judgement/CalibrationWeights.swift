// Written by `make calibration TAKE=1`: do not edit.

/// The weights of the features of a read.
enum CalibrationWeights {
  /// The log-odds of a read whose features are all 0.
  static let constant = -7.953

  /// The log-odds per unit of a feature, 0 or more.
  static func weight(of feature: Calibration.Feature) -> Double {
    switch feature {
    case .marginLow: 0.474
    case .marginHigh: 1.020
    case .strokes: 1.146
    case .held: 0.773
    case .lattice: 1.894
    case .ground: 0.688
    case .label: 2.548
    case .plant: 1.086
    case .format: 2.651
    case .shapes: 0.639
    case .whole: 2.532
    case .secondAgrees: 0.870
    case .secondDoubts: 0.421
    case .knownCode: 1.000
    }
  }
}

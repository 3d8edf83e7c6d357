// Written by `make calibration TAKE=1`: do not edit.

/// The weights of the features of a read.
enum CalibrationWeights {
  /// The log-odds of a read whose features are all 0.
  static let constant = -7.932

  /// The log-odds per unit of a feature, 0 or more.
  static func weight(of feature: Calibration.Feature) -> Double {
    switch feature {
    case .marginLow: 0.855
    case .marginHigh: 1.173
    case .strokes: 0.824
    case .held: 0.584
    case .lattice: 1.598
    case .ground: 1.092
    case .label: 2.030
    case .plant: 0.594
    case .format: 2.513
    case .shapes: 0.426
    case .whole: 2.862
    case .secondAgrees: 0.788
    case .knownCode: 1.000
    }
  }
}

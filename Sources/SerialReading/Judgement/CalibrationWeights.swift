// Written by `make calibration TAKE=1`: do not edit.

/// The weights of the features of a read.
enum CalibrationWeights {
  /// The log-odds of a read whose features are all 0.
  static let constant = -9.283

  /// The log-odds per unit of a feature, 0 or more.
  static func weight(of feature: Calibration.Feature) -> Double {
    switch feature {
    case .marginLow: 0.999
    case .marginHigh: 1.034
    case .strokesLow: 1.127
    case .strokesHigh: 1.037
    case .held: 0.893
    case .lattice: 0.654
    case .ground: 0.982
    case .label: 3.347
    case .plant: 0.484
    case .format: 2.613
    case .shapes: 0.869
    case .whole: 2.524
    case .secondAgrees: 1.302
    case .secondDoubts: 1.397
    case .knownCode: 1.000
    }
  }
}

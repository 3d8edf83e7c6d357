import AppleSerial

/// A serial of a photo with its final confidence and what it was computed from, for fitting `CalibrationWeights`.
package struct JudgedSerial: Sendable {
  /// The serial.
  package let serial: String
  /// The probability that it is the device's serial, 0...1.
  package let confidence: Double
  /// The features of its text, the mean over strategies, and the terms of `SerialJudgement` by name.
  package let features: [String: Double]
}

extension SerialJudgement {
  /// Every serial with its features.
  package var judgedSerials: [JudgedSerial] {
    fused.indices.map { index in
      let serial = fused[index]
      var features = serial.meanFeatures
      let answer = answer(on: index)
      features[Calibration.Feature.secondAgrees.rawValue] = answer == .agrees ? 1 : 0
      features[Calibration.Feature.secondDoubts.rawValue] = answer?.isDoubt ?? false ? -1 : 0
      features["veto"] = min(mostIfIncomplete(index), mostIfUnconfirmed(index), mostIfImpossible(index))
      return JudgedSerial(serial: serial.serial, confidence: confidence(index), features: features)
    }
  }
}

extension FusedSerial {
  /// The mean of each feature over the strategies that read it from text, and the terms that codes and competing
  /// serials add.
  fileprivate var meanFeatures: [String: Double] {
    let texts = evidences.map(Calibration.features)
    var means: [String: Double] = [:]
    for (feature, value) in texts.joined() { means[feature.rawValue, default: 0] += value / Double(texts.count) }
    means["has_text"] = texts.isEmpty ? 0 : 1
    means["code"] = codeConfidence ?? 0
    means["doubt_of_label"] = doubtOfLabel
    means["trust"] = trust
    return means
  }
}

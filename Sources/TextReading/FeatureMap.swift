/// A map of several values per position, the output of a convolution layer.
package struct FeatureMap {
  package let width: Int
  package let height: Int
  /// Values per position.
  package let channels: Int
  /// Row by row, then position by position.
  package var values: [Float]

  package init(width: Int, height: Int, channels: Int, values: [Float]) {
    (self.width, self.height, self.channels, self.values) = (width, height, channels, values)
  }

  /// The rows and columns of the convolution window.
  static let window = 3

  /// Applies a convolution layer: each output position sums over 3 x 3 positions of this map. Positions outside are
  /// zero.
  ///
  /// - Parameter stride: Positions of this map between neighbouring positions of the output.
  package func convolved(by layer: NetworkLayer, stride: Int) -> FeatureMap {
    var next = FeatureMap(
      width: (width - 1) / stride + 1, height: (height - 1) / stride + 1, channels: layer.outputs, values: [])
    next.values.reserveCapacity(next.width * next.height * next.channels)
    var window = [Float](repeating: 0, count: layer.inputs)
    for y in 0..<next.height {
      for x in 0..<next.width {
        gather(aroundX: x * stride, y: y * stride, into: &window)
        layer.append(sumsOf: window, atLeast: 0, to: &next.values)
      }
    }
    return next
  }

  private func gather(aroundX x: Int, y: Int, into window: inout [Float]) {
    var place = 0
    for row in y - 1...y + 1 {
      if (0..<height).contains(row), x > 0, x < width - 1 {
        // The three positions of a row lie beside each other.
        let start = (row &* width &+ x &- 1) &* channels
        for offset in 0..<Self.window * channels { window[place &+ offset] = values[start &+ offset] }
        place += Self.window * channels
        continue
      }
      for column in x - 1...x + 1 {
        let isInside = (0..<height).contains(row) && (0..<width).contains(column)
        let start = (row * width + column) * channels
        for channel in 0..<channels { window[place + channel] = isInside ? values[start + channel] : 0 }
        place += channels
      }
    }
  }
}

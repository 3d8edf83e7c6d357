/// A layer of a small network: weighted sums of its inputs plus a bias, with an optional lower bound.
package struct NetworkLayer: Sendable {
  /// The number of inputs, and the number of outputs.
  let inputs: Int
  let outputs: Int
  /// Biases in groups of eight outputs, and for each group the weights of every input.
  private let biases: [SIMD8<Float>]
  private let weights: [SIMD8<Float>]

  /// Creates a layer from weights and biases.
  ///
  /// - Parameter values: The weights of the first input, those of the second and so on, then the biases, as
  ///   `Tools/training/train_glyphs.py` writes them: `size(inputs:outputs:)` values.
  package init(inputs: Int, outputs: Int, _ values: ArraySlice<Float>) {
    (self.inputs, self.outputs) = (inputs, outputs)
    func eight(_ row: Int, _ block: Int) -> SIMD8<Float> {
      var lanes = SIMD8<Float>.zero
      for lane in 0..<min(8, outputs - block * 8) {
        lanes[lane] = values[values.startIndex + row * outputs + block * 8 + lane]
      }
      return lanes
    }
    let blocks = (outputs + 7) / 8
    biases = (0..<blocks).map { eight(inputs, $0) }
    weights = (0..<blocks).flatMap { block in (0..<inputs).map { eight($0, block) } }
  }

  /// The number of values that a layer has in a file.
  static func size(inputs: Int, outputs: Int) -> Int { (inputs + 1) * outputs }

  /// The outputs for `inputs` values, each at least `least`.
  package func sums(of values: [Float], atLeast least: Float = -.infinity) -> [Float] {
    var sums: [Float] = []
    append(sumsOf: values, atLeast: least, to: &sums)
    return sums
  }

  /// Appends the outputs for `inputs` values, each at least `least`.
  func append(sumsOf values: [Float], atLeast least: Float, to sums: inout [Float]) {
    values.withUnsafeBufferPointer { values in
      weights.withUnsafeBufferPointer { weights in
        // Two blocks at a time, because each addition depends on the previous one of the same block.
        for block in stride(from: 0, to: biases.count, by: 2) {
          let next = min(block + 1, biases.count - 1)
          var (first, second) = (biases[block], biases[next])
          for index in 0..<inputs {
            let value = SIMD8(repeating: values[index])
            first += weights[block &* inputs &+ index] * value
            second += weights[next &* inputs &+ index] * value
          }
          for lane in 0..<min(8, outputs - block * 8) { sums.append(max(least, first[lane])) }
          guard next > block else { break }
          for lane in 0..<min(8, outputs - next * 8) { sums.append(max(least, second[lane])) }
        }
      }
    }
  }
}

import AppleSerial
import ReaderProtocol

/// Brings together what the strategies found.
struct Fusion {
  private var candidates: [Candidate] = []

  /// Takes in what a strategy found.
  mutating func add(_ found: [Candidate]) { candidates += found }

  /// The serials, most probable first, each once.
  ///
  /// Text and code that agree were read independently: what is left of doubt is the product of both doubts. The same
  /// text read again by another strategy is no second witness, since it errs alike.
  var serials: [FusedSerial] {
    var fused: [FusedSerial] = []
    for candidate in candidates {
      if let same = fused.firstIndex(where: { $0.serial == candidate.serial }) {
        fused[same].add(candidate)
      } else {
        fused.append(FusedSerial(candidate))
      }
    }
    return lessContradictions(fused).sorted { $0.confidence > $1.confidence }
  }

  /// A code and a text that say different things of one device can't both be right; nor can two texts that differ in a
  /// few places, since they were read off the same line.
  private func lessContradictions(_ fused: [FusedSerial]) -> [FusedSerial] {
    fused.map { serial in
      var serial = serial
      let others = fused.filter {
        $0.serial != serial.serial && ($0.methods != serial.methods || $0.isNear(serial))
      }
      if let strongest = others.map(\.confidence).max(), !serial.isConfirmedByBoth {
        serial.confidence *= 1 - 0.5 * strongest
      }
      return serial
    }
  }
}

/// A serial with everything that found it.
struct FusedSerial {
  let serial: String
  /// The candidate that is most sure of it.
  private(set) var best: Candidate
  private(set) var methods: Set<Candidate.Method>
  private var surestByMethod: [Candidate.Method: Double]
  /// Probability that it is the device's serial, 0...1.
  var confidence: Double

  init(_ candidate: Candidate) {
    serial = candidate.serial
    best = candidate
    methods = [candidate.method]
    surestByMethod = [candidate.method: candidate.confidence]
    confidence = candidate.confidence
  }

  /// Whether a code and the text hold it.
  var isConfirmedByBoth: Bool { methods.count > 1 }

  mutating func add(_ candidate: Candidate) {
    if candidate.confidence > best.confidence { best = candidate }
    methods.insert(candidate.method)
    surestByMethod[candidate.method] = max(surestByMethod[candidate.method] ?? 0, candidate.confidence)
    confidence = 1 - surestByMethod.values.reduce(1) { $0 * (1 - $1) }
  }

  /// Whether another serial may be a different reading of the same line.
  func isNear(_ other: FusedSerial) -> Bool {
    if let differences = Confusions.differences(serial, other.serial) { return differences.all <= 3 }
    let (short, long) = serial.count < other.serial.count ? (serial, other.serial) : (other.serial, serial)
    // One or two characters dropped: the shorter stands in the longer, in order.
    var rest = long[...]
    for character in short {
      guard let place = rest.firstIndex(of: character) else { return false }
      rest = rest[rest.index(after: place)...]
    }
    return true
  }

  /// As the result shows it.
  var read: SerialRead {
    SerialRead(
      serial: serial, confidence: confidence,
      method: isConfirmedByBoth ? "barcode+tesseract" : best.method.rawValue, strategy: best.strategy,
      roiIndex: best.roiIndex, region: best.region, isValid: SerialNumber(serial) != nil)
  }
}

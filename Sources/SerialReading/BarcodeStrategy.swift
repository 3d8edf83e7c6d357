import AppleSerial
import BarcodeReading
import Imaging
import ReaderProtocol

/// Takes serials out of the photo's QR codes, Data Matrix codes and linear codes.
struct BarcodeStrategy: ReadingStrategy {
  let name = "barcode"
  let activity = "Looking for codes"
  let readsText = false

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    let source = try context.photo.reduced(toSide: Photo.workingSide)
    let codes = BarcodeReader().codes(in: source.picture)
    let candidates = codes.enumerated().flatMap { index, code in Self.candidates(code, index, source.toUploaded) }
    return StrategyOutcome(
      candidates: candidates.sorted { $0.confidence > $1.confidence }, summary: "\(codes.count) codes")
  }

  /// The serials a code may hold: two where a leading `S` may be a data identifier or the serial's own.
  private static func candidates(_ code: Barcode, _ index: Int, _ map: PixelTransform) -> [Candidate] {
    let serials: [(SerialNumber, Double)] =
      switch SerialPayload(code.text.trimmed) {
      case .plain(let serial): [(serial, Calibration.confidence(ofCode: serial, isIdentified: false))]
      case .identified(let serial): [(serial, Calibration.confidence(ofCode: serial, isIdentified: true))]
      case .ambiguous(let whole, let stripped): [(stripped, 0.6), (whole, 0.4)]
      case nil: []
      }
    return serials.map { serial, confidence in
      Candidate(
        serial: serial.text, method: .barcode, strategy: "barcode", confidence: confidence, evidence: nil,
        roiIndex: index, region: region(code, map))
    }
  }

  private static func region(_ code: Barcode, _ map: PixelTransform) -> Quadrilateral? {
    guard code.corners.count == 4 else { return nil }
    let points = code.corners.map { corner in
      let place = map.apply(corner.x, corner.y)
      return PixelPoint(x: place.x, y: place.y)
    }
    return Quadrilateral(points[0], points[1], points[2], points[3])
  }
}

extension String {
  /// Without spaces and line ends around it.
  fileprivate var trimmed: String {
    let inner = drop(while: \.isWhitespace)
    return String(inner.reversed().drop(while: \.isWhitespace).reversed())
  }
}

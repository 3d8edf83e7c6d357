import AppleSerial
import BarcodeReading
import Imaging
import ScanModel

/// Reads serials from the photo's QR codes, Data Matrix codes and linear codes.
package struct BarcodeStrategy: ReadingStrategy {
  /// The part of the photo that is searched for codes.
  enum Scope {
    /// The whole picture at its working size.
    case whole
    /// Patterned regions of the full resolution, enlarged.
    case regions
    /// Large codes of the whole picture, at half the size and with one library. Once a text is accepted, only a
    /// prominent code with another serial matters, which belongs to another device.
    case large
  }

  var scope = Scope.whole

  var name: String {
    switch scope {
    case .whole: "barcode"
    case .regions: "barcode-regions"
    case .large: "other-codes"
    }
  }
  var activity: String {
    switch scope {
    case .whole: "Looking for codes"
    case .regions: "Looking for small codes"
    case .large: "Looking for other devices' codes"
    }
  }
  let readsText = false

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    let (codes, toUploaded) = try codes(in: context.photo, while: { context.hasTime }) { found in
      (SerialCodes.serials(in: found).first?.probability ?? 0) >= Self.certain
    }
    let serials = SerialCodes.serials(in: codes)
    if serials.isEmpty {
      codes.compactMap { Self.place(of: $0, toUploaded) }.forEach(context.textSeen.noteCode)
    }
    return StrategyOutcome(
      candidates: Self.candidates(serials, toUploaded, strategy: name), summary: "\(codes.count) codes",
      notes: context.wantsEverySerial || scope == .large ? [] : Self.notes(serials))
  }

  /// The probability of a code's serial from which no further codes or print of its label are needed.
  static let certain = 0.95

  /// Searches a photo for codes, and notes them whatever they hold.
  ///
  /// - Parameters:
  ///   - hasTime: Called before every region; `false` ends the search.
  ///   - isEnough: Called after every region with all codes found so far; `true` ends the search.
  /// - Returns: The codes, and the transform of their coordinates to the photo as uploaded.
  @discardableResult
  func codes(
    in photo: Photo, while hasTime: () -> Bool, isEnough: ([Barcode]) -> Bool = { _ in false }
  ) throws(ReadFailure) -> (codes: [Barcode], toUploaded: PixelTransform) {
    let source = scope == .regions ? try photo.full() : try photo.workingPicture()
    let codes =
      switch scope {
      case .whole: BarcodeReader().codes(in: source.picture)
      case .regions: BarcodeReader().codesInRegions(of: source.picture, while: hasTime, isEnough: isEnough)
      case .large: BarcodeReader().largeCodes(in: source.picture)
      }
    photo.textSeen.note(codes, source.toUploaded)
    return (codes, source.toUploaded)
  }

  package static func candidates(_ serials: [SerialCode], _ map: PixelTransform, strategy: String) -> [Candidate] {
    serials.map { found in
      Candidate(
        serial: found.serial, method: .barcode, strategy: strategy, confidence: found.probability, evidence: nil,
        roiIndex: found.index, region: region(found.code, map), recognised: place(of: found.code, map)?.region)
    }
  }

  /// A note if the codes hold several serials, of which at most one is the device's.
  private static func notes(_ serials: [SerialCode]) -> [String] {
    let certain = serials.filter { $0.form != .ambiguous && $0.probability >= 0.5 }
    guard certain.count > 1 else { return [] }
    return ["The codes hold \(certain.count) different serials: check which belongs to the device."]
  }

  /// A code's place, expressed as a line of print on its label.
  private static func place(of code: Barcode, _ map: PixelTransform) -> Sighting? {
    guard let edges = region(code, map)?.edges else { return nil }
    let capital = (edges.right - edges.left).length / (code.symbology.isLinear ? capitalsOfLinear : capitalsOfMatrix)
    return Sighting(left: edges.left, right: edges.right, capital: capital, polarity: .dark)
  }

  /// The typical length of a code in heights of the capitals printed next to it on product labels.
  private static let capitalsOfLinear = 14.0
  private static let capitalsOfMatrix = 5.0

  static func region(_ code: Barcode, _ map: PixelTransform) -> Quadrilateral? {
    guard code.corners.count == 4 else { return nil }
    let points = code.corners.map { PixelPoint(map.apply($0.x, $0.y)) }
    return Quadrilateral(points[0], points[1], points[2], points[3])
  }
}

/// Reads the most prominent label of a photo, turned level and enlarged: first its codes, then its print.
///
/// Skips a photo whose label is level and fills it, since other strategies read that as it is.
struct LabelStrategy: ReadingStrategy {
  let name = "label"
  let activity = "Turning the label level"

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    guard let view = try LabelView(of: context.photo) else {
      return StrategyOutcome(summary: "the label is level and fills the photo")
    }
    let turned = "turned by \(Int(view.degrees.rounded())) degrees, enlarged \(Int(view.scale * 10)) tenths"
    let source = view.picture
    let codes = BarcodeReader().codes(inLevel: source.picture)
    context.textSeen.note(codes, source.toUploaded)
    var candidates = BarcodeStrategy.candidates(SerialCodes.serials(in: codes), source.toUploaded, strategy: name)
    if !context.wantsEverySerial, candidates.contains(where: { $0.confidence >= BarcodeStrategy.certain }) {
      return StrategyOutcome(candidates: candidates, summary: "\(turned), \(codes.count) codes")
    }
    let polarity = try TextPolarity(of: source.picture, inNoise: context.photo.isNoisy())
    var rows = LabelledTextPass.Outcome()
    for finder in [polarity.main, polarity.mainOtherContrast].compactMap({ $0 }) {
      let pass = LabelledTextPass(finder: finder, context: context, wantsEverySerial: context.wantsEverySerial)
      let outcome = try pass.run(source)
      rows.add(outcome)
      // Print that was read upright would not read differently at another contrast.
      let isRead = outcome.hasKnownLabel && outcome.otherWords >= 3
      if isRead || outcome.reads.contains(where: { $0.label.announcesSerial }) || !context.hasTime { break }
    }
    candidates += rows.reads.map { $0.candidate(strategy: name) }
    return StrategyOutcome(
      candidates: candidates.sorted { $0.confidence > $1.confidence },
      summary: "\(turned), \(codes.count) codes, \(rows.summary)")
  }
}

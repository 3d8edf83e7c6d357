import AppleSerial
import Imaging
import ReaderProtocol
import TextReading

/// Reads the serial in a photo: one photo in, one `Reading` out.
///
/// Keeps its engines warm; belongs to one thread.
public final class SerialReader {
  private let engine: TextEngine
  /// Told of every line that is read.
  package var observer: LineObserver?
  /// Told of every serial read from text, with its strategy and what it rests on.
  package var evidenceObserver: ((_ serial: String, _ strategy: String, TextEvidence) -> Void)?
  private let parameters: [Preset: [String: Double]]
  private let thresholds: ReadingThresholds
  private let secondOpinion: SecondOpinion

  /// Starts a reader with its engines.
  ///
  /// - Parameters:
  ///   - parameters: The configured parameters of the presets, by name: all that are declared.
  ///   - thresholds: What the verdict is made by.
  ///   - secondModel: Path of Tesseract's `eng.traineddata`, for a second opinion; without such a file there is none.
  /// - Throws: `ReadFailure` of code `readerUnavailable` where the text model can't be loaded, or a parameter is missing.
  public init(
    parameters: [Preset: [String: Double]], thresholds: ReadingThresholds, secondModel: String
  ) throws(ReadFailure) {
    for preset in Preset.allCases { _ = try PresetParameters(preset: preset, overlaidBy: parameters[preset] ?? [:]) }
    self.parameters = parameters
    secondOpinion = SecondOpinion(modelPath: secondModel)
    self.thresholds = thresholds
    do throws(TextEngine.StartError) {
      engine = try TextEngine()
    } catch {
      throw ReadFailure(.readerUnavailable, "The text model could not be loaded. Install the program again.")
    }
  }

  /// Reads one photo.
  ///
  /// - Parameters:
  ///   - bytes: The photo's file.
  ///   - request: How to read it.
  ///   - progress: Told what is being done, before each strategy.
  /// - Throws: `ReadFailure` where the photo can't be read at all; a photo without a serial is a reading without serials.
  public func read(
    _ bytes: [UInt8], _ request: ReadRequest, progress: (ReadProgress) -> Void = { _ in }
  ) throws(ReadFailure) -> ReadAnswer {
    let timer = ReadingTimer(budget: request.timeBudget)
    progress(ReadProgress(fraction: 0.05, message: "Opening the photo"))
    let photo = try Photo(bytes: bytes, pixelLimit: request.pixelLimit)
    var reading = try read(photo, request, timer) {
      progress(ReadProgress(fraction: 0.1 + 0.75 * $0, message: $1.activity))
    }
    if reading.serials.isEmpty, !photo.textSeen.isOtherText, timer.hasTime, let smoothed = try photo.smoothed() {
      let second = try read(smoothed, request, timer) {
        progress(ReadProgress(fraction: 0.85 + 0.1 * $0, message: $1.activity + ", its noise smoothed"))
      }
      reading = reading.followed(bySmoothed: second)
    }
    let annotation = request.wantsAnnotation ? try annotated(photo, reading, request) : nil
    progress(ReadProgress(fraction: 1, message: "Done"))
    return ReadAnswer(reading, annotation: annotation)
  }

  /// Reads one photo as it is.
  ///
  /// - Parameter progress: Told, before each strategy, which one and what share of the plan is done, 0...1.
  private func read(
    _ photo: Photo, _ request: ReadRequest, _ timer: ReadingTimer,
    progress: (Double, any ReadingStrategy) -> Void
  ) throws(ReadFailure) -> Reading {
    let plan = try ReadingPlan(request: request, photo: photo)
    var run = ReadingRun(acceptance: min(thresholds.accept, Calibration.settled))
    for (index, step) in plan.steps.enumerated() where run.wants(step, after: photo.textSeen) && timer.hasTime {
      progress(Double(index) / Double(plan.steps.count), step.strategy)
      let context = ReadingContext(
        photo: photo, engine: engine,
        parameters: try PresetParameters(
          preset: step.preset, overlaidBy: parameters[step.preset] ?? [:], request.parameters),
        observer: observer, timer: timer)
      let found = try run.perform(step, in: context)
      for candidate in found { candidate.evidence.map { evidenceObserver?(candidate.serial, candidate.strategy, $0) } }
    }
    return reading(try weighed(&run, photo), run, plan, photo, timer)
  }

  /// The serials, the top one with a second opinion on it where it was read from text alone and that may change the verdict.
  private func weighed(_ run: inout ReadingRun, _ photo: Photo) throws(ReadFailure) -> [SerialRead] {
    let fused = run.fusion.serials
    var serials = fused.map(\.read)
    var answer: SecondOpinion.Answer?
    if let top = serials.first, fused[0].isWorthSecondOpinion {
      let (glyphMargin, isOfOneLength) = (fused[0].evidence?.glyphMargin, fused[0].isOfOneLength)
      if Calibration.isSettled(
        top.confidence, glyphMargin: glyphMargin, isOfOneLength: isOfOneLength, accept: thresholds.accept)
      {
        serials[0].confidence = min(top.confidence, Calibration.mostWithoutOpinion)
      } else {
        let asked = try askSecondModel(&run, about: top, in: photo)
        serials[0].confidence = Calibration.confidence(
          after: asked, before: top.confidence, glyphMargin: glyphMargin, isOfOneLength: isOfOneLength)
        answer = asked
      }
    }
    Self.evenOut(&serials, fused, answer)
    for index in serials.indices where fused[index].isTextAlone && photo.textSeen.continues(serials[index].serial) {
      serials[index].confidence = min(serials[index].confidence, Calibration.mostOfContinued)
    }
    try doubtOtherMakers(&serials, &run, photo)
    serials.sort { $0.confidence > $1.confidence }
    return serials.filter { $0.confidence >= thresholds.refuse }
  }

  private func askSecondModel(
    _ run: inout ReadingRun, about top: SerialRead, in photo: Photo
  ) throws(ReadFailure) -> SecondOpinion.Answer {
    let start = ContinuousClock.now
    let answer = try secondOpinion.answer(on: top, in: photo)
    run.note(answer, on: top, seconds: (ContinuousClock.now - start) / .seconds(1))
    return answer
  }

  /// Evens out what was read from text.
  private static func evenOut(_ serials: inout [SerialRead], _ fused: [FusedSerial], _ answer: SecondOpinion.Answer?) {
    for index in serials.indices {
      let (serial, before) = (fused[index], serials[index].confidence)
      let opinion = index == 0 ? answer : nil
      if !serial.isPart, !serial.isRefuted, serial.isAnnouncedText || serial.hasRareSign {
        let evened = Calibration.evened(
          before, isBorneOut: serial.isBorneOut(secondOpinion: opinion))
        serials[index].confidence = serial.isAnnouncedText ? evened : max(before, min(evened, Calibration.mostBySign))
      }
      if serials[index].confidence >= Calibration.leastOfClear, serial.isClear(secondOpinion: opinion) {
        serials[index].confidence = max(serials[index].confidence, Calibration.ofClear)
      }
      if serial.restsOnSign { serials[index].confidence = min(serials[index].confidence, Calibration.mostBySign) }
    }
  }

  /// Takes confidence from all serials where the photo names other makers alone, and from those that look like theirs where it does not name
  /// Apple; where it would be shown, the top one's surroundings are read for a name.
  private func doubtOtherMakers(
    _ serials: inout [SerialRead], _ run: inout ReadingRun, _ photo: Photo
  ) throws(ReadFailure) {
    if let top = serials.max(by: { $0.confidence < $1.confidence }), top.confidence >= thresholds.refuse {
      try searchMaker(&run, of: top, in: photo)
    }
    for index in serials.indices {
      let read = serials[index]
      let most =
        SerialNumber(read.serial).map { Calibration.most(of: $0, among: photo.textSeen.makers) }
        ?? (read.method == Candidate.Method.tesseract.rawValue ? Calibration.mostOutsideGrammar : 1)
      serials[index].confidence = min(read.confidence, most)
    }
  }

  private func searchMaker(_ run: inout ReadingRun, of read: SerialRead, in photo: Photo) throws(ReadFailure) {
    guard let region = read.region, MakerSearch.concerns(read, in: photo) else { return }
    let start = ContinuousClock.now
    let lines = try MakerSearch(photo: photo, engine: engine, observer: observer).run(around: region)
    let found = photo.textSeen.makers.areOthersAlone ? "another maker's device" : "no other maker"
    run.note("maker", "\(found) (\(lines) lines read)", on: read, seconds: (ContinuousClock.now - start) / .seconds(1))
  }

  private func reading(
    _ serials: [SerialRead], _ run: ReadingRun, _ plan: ReadingPlan, _ photo: Photo, _ timer: ReadingTimer
  ) -> Reading {
    let top = serials.first
    return Reading(
      verdict: thresholds.verdict(on: top?.confidence), serials: serials,
      preset: plan.givenPreset ?? run.preset(of: top) ?? plan.steps[0].preset,
      presetWasDetected: plan.givenPreset == nil, strategyUsed: top?.strategy ?? run.lastStrategy ?? "none",
      fallbackUsed: top != nil && top?.strategy != run.firstStrategy, trace: run.trace,
      notes: run.notes + run.fusion.notes,
      photoSize: photo.uploadedSize, processingTime: timer.wallSeconds, cpuTime: timer.cpuSeconds)
  }

  /// The photo with the reads drawn in, as PNG; nil where memory ran out.
  private func annotated(
    _ photo: Photo, _ reading: Reading, _ request: ReadRequest
  ) throws(ReadFailure) -> [UInt8]? {
    do throws(PictureError) {
      return try photo.file.annotatedPNG(
        reading.serials.compactMap { ReadMark.mark($0, isTop: $0 == reading.topSerial, reading.verdict) },
        pixelLimit: request.pixelLimit)
    } catch {
      throw ReadFailure(error)
    }
  }
}

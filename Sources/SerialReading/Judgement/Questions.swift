import AppleSerial
import Imaging
import ScanModel
import TextReading

/// Judges the serials of a photo, and asks about those that lead at their places what their candidates can't tell:
/// another model's opinion, the maker of the device, and what stands beyond their ends.
struct Questions {
  let photo: Photo
  let engine: TextEngine
  let observer: LineObserver?
  let explanation: ReadingExplanation?
  let thresholds: ReadingThresholds

  /// The judgement once no further question could change a verdict.
  func judgement(_ run: inout ReadingRun) throws(ReadFailure) -> SerialJudgement {
    var judgement = SerialJudgement(
      run.fusion.serials, textSeen: photo.textSeen, thresholds: thresholds, codes: run.codes)
    var searched: Set<Int> = []
    while true {
      if let index = judgement.nextToAsk() {
        judgement.note(try opinion(on: judgement.fused[index], &run), on: index)
      } else if let index = judgement.leadersOfAnyMaker.first(where: { !searched.contains($0) }) {
        searched.insert(index)
        try searchMaker(around: index, judgement, &run)
      } else if let index = judgement.nextToMeasure {
        judgement.note(try ends(of: index, judgement, &run), on: index)
      } else {
        judgement.isDamaged = photo.isDamaged
        return judgement
      }
    }
  }

  /// Asks a question, and adds it to the trace with its answer.
  ///
  /// - Parameters:
  ///   - question: The question's name.
  ///   - read: The read that it is about.
  ///   - answer: Returns the answer, and a description of it.
  private func ask<Answer>(
    _ question: String, about read: SerialRead, _ run: inout ReadingRun,
    answer: () throws(ReadFailure) -> (Answer, String)
  ) throws(ReadFailure) -> Answer {
    explanation?.begin(question, in: photo)
    let start = ContinuousClock.now
    let (answer, description) = try answer()
    run.note(question, description, on: read, seconds: (ContinuousClock.now - start) / .seconds(1))
    return answer
  }

  private func opinion(on serial: FusedSerial, _ run: inout ReadingRun) throws(ReadFailure) -> SecondOpinion.Answer {
    let read = serial.asked
    if let known = run.answer(on: read) { return known }
    let answer = try ask("second-opinion", about: read, &run) { () throws(ReadFailure) in
      let answer = try SecondOpinion(engine: engine.second).answer(on: serial, in: photo)
      return (answer, answer.sentence)
    }
    run.note(answer, on: read)
    return answer
  }

  private func searchMaker(
    around index: Int, _ judgement: SerialJudgement, _ run: inout ReadingRun
  ) throws(ReadFailure) {
    let serial = judgement.fused[index]
    var read = serial.asked
    read.confidence = judgement.regardlessOfMaker(index)
    let search = MakerSearch(
      photo: photo, engine: engine, observer: observer, isInRows: run.preset(of: read) == .screen)
    guard !serial.hasFrequentPlant, let region = read.region, search.concerns(region),
      run.beginsMakerSearch(around: read)
    else { return }
    try ask("maker", about: read, &run) { () throws(ReadFailure) in
      let lines = try search.run(around: region)
      let found =
        photo.textSeen.makers.areOthersAlone
        ? "another maker's device" : photo.textSeen.part(of: region) != nil ? "a part" : "no other maker"
      return ((), "\(found) (\(lines) lines read)")
    }
  }

  /// What the photo shows before and after a text.
  private func ends(
    of index: Int, _ judgement: SerialJudgement, _ run: inout ReadingRun
  ) throws(ReadFailure) -> SerialJudgement.Ends {
    let serial = judgement.fused[index]
    guard let region = serial.unrolled?.region ?? serial.read.region else { return .onGround }
    let source =
      if let unrolled = serial.unrolled { unrolled.strip } else { try photo.reduced(toSide: Photo.workingSide) }
    guard let place = ReadPlace(region, in: source) else { return .onGround }
    let ground = EndGround(place, in: source.picture, edgeCuts: serial.unrolled == nil)
    func isShown(_ width: Double?) -> Bool { width ?? .infinity >= LengthProof.leastGround }
    let beginsBehindLabel = serial.evidence?.isBehindLabel ?? false && ground.continuesBefore
    let begins = isShown(ground.before) || beginsBehindLabel
    let isOnGround = begins && isShown(ground.after)
    if isOnGround, !judgement.needsText(index) { return .onGround }
    guard begins || ground.continuesBefore, isShown(ground.after) || ground.continuesAfter,
      let text = try textAround(serial, &run), text.before || text.after
    else { return isOnGround ? .onGround : .covered }
    return (begins || text.before) && (isShown(ground.after) || text.after) ? .betweenWords : .covered
  }

  private func textAround(_ serial: FusedSerial, _ run: inout ReadingRun) throws(ReadFailure) -> TextAround? {
    // Along a curve parts of a line are out of focus.
    guard serial.unrolled == nil, let (source, place) = try SecondOpinion.place(of: serial, in: photo),
      let cut = SecondOpinion.cut(place, of: source, size: 1, reach: TextAround.reach)
    else { return nil }
    return try ask("text-around", about: serial.asked, &run) { () throws(ReadFailure) in
      // Without the spaces that the recogniser overlooks: a wide gap may hold characters that something covers.
      let line = engine.read(cut)
      observer?(line, cut)
      let text = TextAround(serial.serial, in: line)
      let sides = [text?.before == true ? "before" : nil, text?.after == true ? "after" : nil].compactMap(\.self)
      return (text, sides.isEmpty ? "no text at its ends" : "text \(sides.joined(separator: " and "))")
    }
  }
}

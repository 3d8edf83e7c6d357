import AppleSerial
import Imaging
import ScanModel
import TextReading

/// Judges the serials of a photo, and asks about those that lead at their places what their candidates can't tell:
/// another model's opinion, the maker of the device, and what stands beyond their ends.
extension ReadingRun {
  /// The judgement once no further question could change a verdict.
  mutating func askedJudgement() throws(ReadFailure) -> SerialJudgement {
    var judgement = SerialJudgement(
      fusion.serials, textSeen: context.textSeen, thresholds: reader.thresholds,
      codes: request.codes ?? ConfigurationCodes())
    var searched: Set<Int> = []
    while true {
      if let index = judgement.nextToAsk() {
        judgement.note(try opinion(on: judgement.fused[index]), on: index)
      } else if let index = judgement.leadersOfAnyMaker.first(where: { !searched.contains($0) }) {
        searched.insert(index)
        try searchMaker(around: index, judgement)
      } else if let index = judgement.nextToMeasure {
        judgement.note(try ends(of: index, judgement), on: index)
      } else if let index = judgement.nextToCheck {
        judgement.note(try disturbance(of: judgement.fused[index]), on: index)
      } else {
        judgement.isDamaged = context.photo.isDamaged
        return judgement
      }
    }
  }

  /// Asks a question, and adds it to the trace with its answer.
  ///
  /// - Parameter answer: Returns the answer, and a description of it.
  private mutating func ask<Answer>(
    _ question: String, about read: SerialRead, answer: () throws(ReadFailure) -> (Answer, String)
  ) throws(ReadFailure) -> Answer {
    reader.explanation?.begin(question, in: context.photo)
    let start = ContinuousClock.now
    let (answer, description) = try answer()
    questions.append(
      StrategyTrace(
        strategy: question, seconds: (ContinuousClock.now - start) / .seconds(1), outcome: description,
        serial: read.serial, confidence: read.confidence))
    return answer
  }

  private mutating func opinion(on serial: FusedSerial) throws(ReadFailure) -> SecondOpinion.Answer {
    let (read, context) = (serial.asked, context)
    if let known = answers.first(where: { $0.read.serial == read.serial && $0.read.region == read.region }) {
      return known.answer
    }
    let answer = try ask("second-opinion", about: read) { () throws(ReadFailure) in
      let answer = try SecondOpinion.answer(of: context.engine.second, on: serial, in: context.photo)
      return (answer, answer.sentence)
    }
    answers.append((read, answer))
    return answer
  }

  private mutating func searchMaker(around index: Int, _ judgement: SerialJudgement) throws(ReadFailure) {
    let (serial, seen) = (judgement.fused[index], context.textSeen)
    var read = serial.asked
    read.confidence = judgement.regardlessOfMaker(index)
    let search = MakerSearch(context: context, isInRows: preset(of: read) == .screen)
    guard !serial.hasFrequentPlant, let region = read.region, search.concerns(region),
      searched.insert(read.serial).inserted
    else { return }
    try ask("maker", about: read) { () throws(ReadFailure) in
      let lines = try search.run(around: region)
      let found =
        seen.makers.areOthersAlone
        ? "another maker's device" : seen.part(of: region) != nil ? "a part" : "no other maker"
      return ((), "\(found) (\(lines) lines read)")
    }
  }

  /// What the photo shows before and after a text.
  private mutating func ends(of index: Int, _ judgement: SerialJudgement) throws(ReadFailure) -> SerialJudgement.Ends {
    let (serial, photo) = (judgement.fused[index], context.photo)
    guard let region = serial.unrolled?.region ?? serial.read.region else { return .onGround }
    let source =
      if let unrolled = serial.unrolled { unrolled.strip } else { try photo.workingPicture() }
    guard let place = ReadPlace(region, in: source) else { return .onGround }
    let ground = EndGround(place, in: source.picture, edgeCuts: serial.unrolled == nil)
    func isShown(_ width: Double?) -> Bool { width ?? .infinity >= LengthProof.leastGround }
    let beginsBehindLabel = serial.evidence?.isBehindLabel ?? false && ground.continuesBefore
    let begins = isShown(ground.before) || beginsBehindLabel
    let isOnGround = begins && isShown(ground.after)
    if isOnGround, !judgement.needsText(index) { return .onGround }
    guard begins || ground.continuesBefore, isShown(ground.after) || ground.continuesAfter,
      let text = try textAround(serial), text.before || text.after
    else { return isOnGround ? .onGround : .covered }
    return (begins || text.before) && (isShown(ground.after) || text.after) ? .betweenWords : .covered
  }

  /// What may have changed or hidden characters of a text. A strip that curved text was unrolled into is not checked for
  /// shadows.
  private func disturbance(of serial: FusedSerial) throws(ReadFailure) -> SerialJudgement.Disturbance {
    var disturbance = SerialJudgement.Disturbance()
    if serial.unrolled == nil, let region = serial.read.region {
      disturbance.isInShadow = try context.photo.hasShadowEdge(across: region)
    }
    if let cut = try SecondOpinion.cut(serial, in: context.photo) {
      disturbance.hidesCharacters = HiddenCharacters.areIn(Array(serial.serial.utf8), of: cut)
    }
    return disturbance
  }

  private mutating func textAround(_ serial: FusedSerial) throws(ReadFailure) -> TextAround? {
    let context = context
    // Along a curve parts of a line are out of focus.
    guard serial.unrolled == nil,
      let cut = try SecondOpinion.cut(serial, in: context.photo, reach: TextAround.reach)
    else { return nil }
    return try ask("text-around", about: serial.asked) { () throws(ReadFailure) in
      // Without the spaces that the recogniser overlooks: a wide gap may hold characters that something covers.
      let line = context.engine.read(cut)
      context.observer?(line, cut)
      let text = TextAround(serial.serial, in: line)
      let sides = [text?.before == true ? "before" : nil, text?.after == true ? "after" : nil].compactMap(\.self)
      return (text, sides.isEmpty ? "no text at its ends" : "text \(sides.joined(separator: " and "))")
    }
  }
}

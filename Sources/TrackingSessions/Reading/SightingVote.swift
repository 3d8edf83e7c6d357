import ScanModel

/// The vote on one object's serial, sighting by sighting.
///
/// A sighting is the time during which an object stays in sight. Of devices in a row, all but the serial looks alike, so
/// a later sighting may show another device under the same number. Its frames have a vote of their own, which continues
/// the vote before as soon as one of its reads shows the same serial.
struct SightingVote {
  /// Number of the current sighting.
  private(set) var sighting = 0
  private var vote: SerialVote
  /// The vote before this sighting; nil if there is none, or if this sighting continues it.
  private var earlier: SerialVote?

  init(accept: Double, refuse: Double) { vote = SerialVote(accept: accept, refuse: refuse) }

  /// Starts another sighting; returns whether the serial before was accepted.
  mutating func beginSighting() -> Bool {
    sighting += 1
    if !vote.ballots.isEmpty {
      earlier = vote
      vote = SerialVote(accept: vote.accept, refuse: vote.refuse)
    }
    return earlier?.leader?.verdict == .accepted
  }

  /// Adds a read; returns false for a read of an earlier sighting, which says nothing about what is in sight now.
  mutating func add(_ reading: Reading, frames: [Int], sighting: Int) -> Bool {
    guard sighting == self.sighting else { return false }
    vote.add(reading, frames: frames)
    if let earlier, let known = earlier.leader, vote.confirms(known) {
      // An accepted serial needs no more reads; an object that comes and goes for hours would collect them.
      vote = known.verdict == .accepted ? earlier : earlier.followed(by: vote)
      self.earlier = nil
    }
    return true
  }

  /// The leading serial. Before a sighting has one, that of the vote before, as uncertain.
  var leader: VotedSerial? {
    vote.leader ?? earlier?.leader.map { vote.doubting($0) }
  }
}

/// The other machines with idle workers, as of the latest poll.
struct IdleMachines: Sendable {
  private var machines: [(name: String, workers: Int)]

  /// Creates the list of machines with their idle workers; empty if unknown.
  init(_ machines: [(name: String, workers: Int)] = []) {
    self.machines = machines.filter { $0.workers > 0 }
  }

  /// Draws a machine to notify of arrivals, weighted by its idle workers, and counts those as busy.
  ///
  /// Returns nil if no machine is known to have idle workers, so that all must be notified.
  mutating func draw(for arrivals: Int) -> String? {
    guard arrivals > 0, !machines.isEmpty else { return nil }
    var place = Int.random(in: 0..<machines.reduce(0) { $0 + $1.workers })
    guard
      let index = machines.firstIndex(where: { machine in
        place -= machine.workers
        return place < 0
      })
    else { return nil }
    let name = machines[index].name
    machines[index].workers -= arrivals
    if machines[index].workers <= 0 { machines.remove(at: index) }
    return name
  }
}

/// Where else workers are idle, as known from the latest look.
struct IdleMachines: Sendable {
  private var machines: [(name: String, workers: Int)]

  /// Machines with their idle workers; none where nothing is known.
  init(_ machines: [(name: String, workers: Int)] = []) {
    self.machines = machines.filter { $0.workers > 0 }
  }

  /// A machine to tell of so many arrivals, drawn by its idle workers, which are taken for busy from then on; nil where
  /// none is known to have any, so that all have to be told.
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

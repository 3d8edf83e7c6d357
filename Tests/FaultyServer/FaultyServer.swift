import Commands

/// The program that is served, with its fault points armed: see `Faults`.
@main struct FaultyServer {
  static func main() async {
    Faults.armFromEnvironment()
    await SerialScan.main()
  }
}

import Commands
import Support

/// The program that is served, with its fault points armed: see `Faults`.
@main struct FaultyServer {
  static func main() {
    StandardStreams.fillClosed()
    Faults.armFromEnvironment()
    SerialScan.begin()
  }
}

import Commands
import Support

/// The released program with its fault points enabled: see `Faults`.
@main struct FaultyServer {
  static func main() {
    StandardStreams.fillClosed()
    Faults.armFromEnvironment()
    SerialScan.begin()
  }
}

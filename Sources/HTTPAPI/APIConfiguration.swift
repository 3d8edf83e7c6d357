import Evaluations
import ScanModel
import Settings

/// What the API needs to know: the settings as they were made, and what no setting says.
public struct APIConfiguration: Sendable {
  /// The settings.
  public var settings: Settings
  /// The version that `/health` tells.
  public var version: String
  /// For how long work in the background is left to other machines of the same store.
  public var taskPatience: BackgroundWork.Patience

  /// Takes the settings; nothing here has a default of its own.
  public init(_ settings: Settings, version: String) {
    self.settings = settings
    self.version = version
    taskPatience = settings.store.url == nil ? .none : settings.workers == 0 ? .ofAnswerers : .ofReaders
  }

  /// The folder of files being exported.
  var exportsPath: String { "\(settings.data)/exports" }

  /// How the pictures of evaluations are read.
  public var evaluations: Evaluator.Configuration {
    Evaluator.Configuration(
      datasetsPath: settings.datasets, workers: settings.workers, request: settings.readRequest,
      presets: settings.presets.mapValues(\.parameters))
  }
}

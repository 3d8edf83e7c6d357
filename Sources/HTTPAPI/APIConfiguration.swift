import Evaluations
import Exports
import ScanModel
import Settings

/// The API's configuration: the settings, and values that no setting defines.
public struct APIConfiguration: Sendable {
  /// The settings.
  public var settings: Settings
  /// The version that `/health` reports.
  public var version: String
  /// How long background tasks are left to other machines that share the store.
  public var taskPatience: BackgroundWork.Patience

  /// Creates a configuration from the settings.
  public init(_ settings: Settings, version: String) {
    self.settings = settings
    self.version = version
    taskPatience = settings.store.url == nil ? .none : settings.workers == 0 ? .ofAnswerers : .ofReaders
  }

  /// The folder of files being exported.
  var exportsPath: String { "\(settings.data)/exports" }

  /// The columns and templates of exports.
  var exportChoices: ExportChoices {
    ExportChoices(templates: settings.export.templates, custom: settings.fields.custom.map(\.name))
  }

  /// How the pictures of evaluations are read.
  public var evaluations: Evaluator.Configuration {
    Evaluator.Configuration(
      datasetsPath: settings.datasets, workers: settings.workers, request: settings.readRequest,
      presets: settings.presets.mapValues(\.parameters))
  }
}

import HTTPAPI
import Settings

extension APIConfiguration {
  /// What the API needs of the settings.
  init(_ settings: Settings) {
    self.init()
    host = settings.host
    port = settings.port
    dataPath = settings.data
    datasetsPath = settings.datasets
    version = VersionCommand.version
    workers = settings.workers
    maxUploadBytes = settings.upload.maxBytes
    maxPixels = settings.upload.maxPixels
    headerTimeout = settings.server.headerTimeout
    bodyTimeout = settings.server.bodyTimeout
    writeTimeout = settings.server.writeTimeout
    idleTimeout = settings.server.idleTimeout
    maxConnections = settings.server.maxConnections
    maxUploads = settings.server.maxUploads
    maxWait = settings.server.maxWait
    processTimeout = settings.server.processTimeout
    corsOrigins = settings.server.corsOrigins
    requestsPerMinute = settings.server.requestsPerMinute
    maxWaiting = settings.queue.maxWaiting
    acceptConfidence = settings.reading.accept
    refuseConfidence = settings.reading.refuse
    resultRetentionDays = settings.retention.results
    presets = settings.presets.mapValues { PresetParameters(description: $0.description, parameters: $0.parameters) }
  }
}

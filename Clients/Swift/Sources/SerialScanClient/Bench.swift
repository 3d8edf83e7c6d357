import Foundation

// Devices, batches and reviews.

extension SerialScanClient {
  /// Lists devices: one row per serial, however often it was read.
  ///
  /// - Parameters:
  ///   - filter: conditions on the devices; all by default.
  ///   - sortedBy: the sort order.
  ///   - ascending: whether the order is ascending.
  ///   - pageSize: the number of devices per page, 1 to 500.
  public func devices(
    filter: DeviceFilter = DeviceFilter(), sortedBy: DeviceOrder = .lastSeen, ascending: Bool = false,
    pageSize: Int = 100
  ) -> Listing<DevicePage> {
    let order = [("sort_by", sortedBy.rawValue), ("sort_order", ascending ? "asc" : "desc")]
    return Listing(connection, path: "devices", query: filter.query + order + [("limit", String(pageSize))])
  }

  /// Returns a device with its reads, latest first, at most 100. Throws ``ErrorCode/deviceNotFound``.
  ///
  /// - Parameter serial: the serial in any usual notation; spaces, hyphens and a leading S are ignored.
  public func device(serial: String) async throws -> Device {
    try await connection.json(Request(.get, "devices/\(Request.escape(serial))"))
  }

  /// Changes a device. Omitted values stay unchanged.
  ///
  /// - Parameters:
  ///   - serial: the device's serial.
  ///   - custom: values of custom fields by name; nil removes a value.
  ///   - deviceType: the device type; an empty string restores the type from the reads.
  @discardableResult public func changeDevice(
    serial: String, custom: [String: String?] = [:], deviceType: String? = nil
  ) async throws -> Device {
    struct Changes: Encodable {
      var custom: [String: String?]
      var deviceType: String?
    }
    let changes = Changes(custom: custom, deviceType: deviceType)
    return try await connection.json(
      Request(.patch, "devices/\(Request.escape(serial))", json: changes, isRepeatable: true))
  }

  /// Lists batches, latest first, each with its current counts.
  ///
  /// - Parameters:
  ///   - open: only batches that are open, or that have ended; nil for both.
  ///   - pageSize: the number of batches per page, 1 to 500.
  public func batches(open: Bool? = nil, pageSize: Int = 100) -> Listing<BatchPage> {
    Listing(
      connection, path: "batches",
      query: (open.map { [("open", String($0))] } ?? []) + [("limit", String(pageSize))])
  }

  /// Creates a batch. Add photos to it with the parameter `batch`.
  ///
  /// Throws ``ErrorCode/batchNameTaken`` if an open batch has this name. If the response is lost, the batch may have
  /// been created: see ``batches(open:pageSize:)``.
  public func beginBatch(name: String) async throws -> Batch {
    try await connection.json(Request(.post, "batches", json: ["name": name], isRepeatable: false))
  }

  /// Returns a batch with its current counts. Throws ``ErrorCode/batchNotFound``.
  public func batch(id: String) async throws -> Batch {
    try await connection.json(Request(.get, "batches/\(Request.escape(id))"))
  }

  /// Renames, ends or reopens a batch. A batch that has ended accepts nothing more; waiting photos are still read.
  ///
  /// - Parameters:
  ///   - id: the batch's id.
  ///   - name: the new name; nil to keep it.
  ///   - ended: whether it has ended; nil to leave it unchanged.
  @discardableResult public func changeBatch(id: String, name: String? = nil, ended: Bool? = nil) async throws -> Batch
  {
    struct Changes: Encodable {
      var name: String?
      var ended: Bool?
    }
    return try await connection.json(
      Request(.patch, "batches/\(Request.escape(id))", json: Changes(name: name, ended: ended), isRepeatable: true))
  }

  /// Lists photos, latest first.
  ///
  /// - Parameters:
  ///   - filter: conditions on the photos; all by default.
  ///   - pageSize: the number of photos per page, 1 to 500.
  public func jobs(filter: JobFilter = JobFilter(), pageSize: Int = 100) -> Listing<JobPage> {
    Listing(connection, path: "jobs", query: filter.query + [("limit", String(pageSize))])
  }

  /// Records a decision about a photo without a saved serial, which then needs no review. ``confirm(jobId:serial:)``
  /// reverts the decision.
  ///
  /// Throws ``ErrorCode/jobNotEnded``, and ``ErrorCode/serialSaved`` if a serial of the photo is saved.
  public func review(jobId: String, as outcome: Review) async throws {
    try await connection.send(
      Request(.post, "jobs/\(Request.escape(jobId))/review", json: ["outcome": outcome.rawValue], isRepeatable: true))
  }

  /// Reverts the decision of ``review(jobId:as:)``.
  public func takeBackReview(jobId: String) async throws {
    try await connection.send(Request(.delete, "jobs/\(Request.escape(jobId))/review"))
  }
}

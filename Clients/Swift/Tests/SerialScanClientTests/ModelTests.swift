import Foundation
import Testing

@testable import SerialScanClient

/// What is decoded strictly, and what is passed over.
@Suite struct ModelTests {
  /// The first generation of servers, field by field as the contract has it.
  @Test func fieldsOfContractSuffice() throws {
    let result = try Wire.decoder().decode(
      JobResult.self,
      from: Data(
        #"""
        {"job_id": "1", "status": "completed", "progress": 100, "message": "text",
         "created_at": "2026-01-31T12:00:00Z", "updated_at": "2026-01-31T12:00:01Z", "error": null,
         "results": {"serials": [{"serial": "C02G414GMD6N", "confidence": 0.98, "method": "tesseract", "roi_index": 0}],
           "top_result": {"serial": "C02G414GMD6N", "confidence": 0.98}, "total_detected": 1, "processing_time": 0.41,
           "fallback_used": false, "strategy_used": "text", "saved_to_database": true}, "added_later": [1]}
        """#.utf8))
    #expect(result.serial == "C02G414GMD6N")
    #expect(result.updatedAt.timeIntervalSince(result.createdAt) == 1)
    #expect(result.verdict == nil)
  }

  @Test func fieldsBesideSerialKeepTheirNames() throws {
    let read = try Wire.decoder().decode(
      SerialResult.self,
      from: Data(
        #"""
        {"serial": "C02G414GMD6N", "confidence": 0.98, "method": "barcode", "roi_index": null, "verdict": "uncertain",
         "label": "Serial No.", "places": [[[0, 0], [1, 0], [1, 1], [0, 1]]],
         "fields": {"model_number": {"text": "A2141", "confidence": 0.99, "region": [[0, 0]], "check": null}},
         "meaning": {"years": [2019], "week": 23, "plant": "C02", "configuration_code": "MD6N", "model_name": null}}
        """#.utf8))
    #expect(read.fields?["model_number"]?.text == "A2141")
    #expect(read.meaning?.configurationCode == "MD6N")
    #expect(read.places?.count == 1)
    #expect(read.verdict == .uncertain)
  }
}

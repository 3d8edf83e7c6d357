import Foundation
import Testing

@testable import SerialScanClient

/// Decoding: required fields, and ignored ones.
@Suite struct ModelTests {
  /// Exactly the fields of the contract, as the first servers sent them.
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

  @Test(arguments: [
    ("too_dark", "light"), ("too_small", "original"), ("out_of_focus", "focus"), ("of_later_servers", "focus"),
  ])
  func flawOfPhotoDecidesSuggestion(flaw: String, advice: String) throws {
    let result = try Wire.decoder().decode(
      JobResult.self,
      from: Data(
        """
        {"job_id": "1", "status": "failed", "progress": 100, "message": "text", "created_at": "2026-01-31T12:00:00Z",
         "updated_at": "2026-01-31T12:00:01Z", "error": "text", "error_code": "NO_TEXT_DETECTED", "flaw": "\(flaw)",
         "results": null}
        """.utf8))
    #expect(result.flaw?.rawValue == flaw)
    #expect(result.failure?.recoverySuggestion?.contains(advice) == true)
  }

  @Test(arguments: [
    ("other_maker", "only its label"), ("part", "own label"), ("placeholder", "own label"), ("no_label", "closer"),
  ])
  func whatWasReadInsteadDecidesSuggestion(doubt: String, advice: String) throws {
    let result = try Wire.decoder().decode(
      JobResult.self,
      from: Data(
        """
        {"job_id": "1", "status": "failed", "progress": 100, "message": "text", "created_at": "2026-01-31T12:00:00Z",
         "updated_at": "2026-01-31T12:00:01Z", "error": "text", "error_code": "NO_TEXT_DETECTED", "flaw": null,
         "results": null,
         "refusal": {"notes": [], "trace": [], "fields": {}, "processing_time": 0.1, "preset": "sticker",
          "preset_was_detected": true, "photo_width": 900, "photo_height": 600, "refused": [
           {"roi_index": 1, "serial": "CND4182JQV", "confidence": 0.3, "method": "tesseract", "is_valid": true,
            "region": null, "places": [], "doubts": [{"code": "\(doubt)", "sentence": "text"}]}]}}
        """.utf8))
    #expect(result.failure?.recoverySuggestion?.contains(advice) == true)
  }

  @Test func webhookKeepsWhatItsLatestAttemptMet() throws {
    let page = try Wire.decoder().decode(
      WebhookPage.self,
      from: Data(
        #"""
        {"items": [{"job_id": "1", "url": "https://hooks.example", "status": "waiting", "attempts": 2,
          "created_at": "2026-01-31T12:00:00Z", "updated_at": "2026-01-31T12:00:01Z",
          "next_attempt_at": "2026-01-31T12:00:31Z", "last_status": 500, "last_error": "it answered 500"}],
         "next_cursor": null}
        """#.utf8))
    let webhook = try #require(page.items.first)
    #expect(webhook.id == "1" && webhook.status == .waiting && webhook.attempts == 2 && webhook.lastStatus == 500)
    #expect(webhook.nextAttemptAt?.timeIntervalSince(webhook.updatedAt) == 30 && webhook.lastError == "it answered 500")
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
    let field = try #require(read.fields?["model_number"])
    #expect(field.text == "A2141" && field.confidence == 0.99 && field.region == [[0, 0]] && field.check == nil)
    #expect(read.meaning?.years == [2019] && read.meaning?.week == 23 && read.meaning?.plant == "C02")
    #expect(read.meaning?.configurationCode == "MD6N")
    #expect(read.places?.count == 1)
    #expect(read.verdict == .uncertain)
  }

  @Test func fieldsWithoutSerialAreKept() throws {
    let fields = #"{"imei": {"text": "356938035643809", "confidence": 0.97, "region": null, "check": true}}"#
    let refusal = try Wire.decoder().decode(
      Refusal.self,
      from: Data(
        """
        {"refused": [], "fields": \(fields), "processing_time": 0.4, "preset": "sticker", "preset_was_detected": true,
         "photo_width": 10, "photo_height": 10, "notes": [], "trace": []}
        """.utf8))
    #expect(refusal.fields?["imei"] == SerialField(text: "356938035643809", confidence: 0.97, region: nil, check: true))
    let processed = try Wire.decoder().decode(
      ProcessedSerial.self,
      from: Data(
        """
        {"serial": "C02G414GMD6N", "confidence": 0.98, "device_type": null, "is_valid": true, "debug_image_path": null,
         "fields": \(fields), "meaning": {"years": [2011, 2021], "week": null, "plant": null, "configuration_code": null,
         "model_name": "MacBook Pro"}}
        """.utf8))
    #expect(processed.fields?["imei"]?.check == true)
    #expect(processed.meaning?.years == [2011, 2021] && processed.meaning?.modelName == "MacBook Pro")
  }

  /// A stored result decodes to the same value.
  @Test func fieldsSurviveEncoding() throws {
    let result = SerialResult(
      serial: "C02G414GMD6N", confidence: 0.98, method: "barcode",
      fields: ["wifi_address": SerialField(text: "A4:83:E7:00:00:01", confidence: 0.9)],
      meaning: SerialMeaning(years: [2019], week: 23, plant: "C02", configurationCode: "MD6N"))
    let json = try Wire.encoder().encode(result)
    #expect(String(decoding: json, as: UTF8.self).contains("\"wifi_address\""))
    #expect(try Wire.decoder().decode(SerialResult.self, from: json) == result)
  }
}

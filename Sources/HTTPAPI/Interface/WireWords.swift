import Evaluations
import JobStore
import ScanModel

// The enumerations that several endpoints share, with their names in the API description.

extension Job.State: WireWord { static var wireName: String { "JobStatus" } }
extension Webhook.State: WireWord { static var wireName: String { "WebhookStatus" } }
extension Reading.Verdict: WireWord { static var wireName: String { "Verdict" } }
extension PhotoFlaw: WireWord { static var wireName: String { "PhotoFlaw" } }
extension ValidationStatus: WireWord { static var wireName: String { "ValidationStatus" } }
extension SortOrder: WireWord { static var wireName: String { "SortOrder" } }
extension Review: WireWord { static var wireName: String { "Review" } }
extension Preset: WireWord { static var wireName: String { "Preset" } }
extension SerialSource: WireWord { static var wireName: String { "Source" } }
extension AccessKey.Scope: WireWord { static var wireName: String { "Scope" } }
extension ErrorCode: WireWord { static var wireName: String { "ErrorCode" } }
extension EarlierSerial.Change: WireWord { static var wireName: String { "SerialChange" } }
extension Evaluation.Outcome: WireWord { static var wireName: String { "EvaluationOutcome" } }
extension LabelWarning.Code: WireWord { static var wireName: String { "LabelWarningCode" } }

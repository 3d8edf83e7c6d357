#include "EmbeddedFiles.h"

// A new file of the page needs one array and one row here; a test compares this list with the folder.
static const unsigned char index_html[] = {
#embed "../HTTPAPI/Pages/index.html"
};

static const unsigned char docs_html[] = {
#embed "../HTTPAPI/Pages/docs.html"
};

static const unsigned char api_js[] = {
#embed "../HTTPAPI/Pages/api.js"
};

static const unsigned char app_css[] = {
#embed "../HTTPAPI/Pages/app.css"
};

static const unsigned char app_js[] = {
#embed "../HTTPAPI/Pages/app.js"
};

static const unsigned char batch_js[] = {
#embed "../HTTPAPI/Pages/batch.js"
};

static const unsigned char batches_js[] = {
#embed "../HTTPAPI/Pages/batches.js"
};

static const unsigned char camera_js[] = {
#embed "../HTTPAPI/Pages/camera.js"
};

static const unsigned char cells_js[] = {
#embed "../HTTPAPI/Pages/cells.js"
};

static const unsigned char chart_js[] = {
#embed "../HTTPAPI/Pages/chart.js"
};

static const unsigned char check_js[] = {
#embed "../HTTPAPI/Pages/check.js"
};

static const unsigned char custom_js[] = {
#embed "../HTTPAPI/Pages/custom.js"
};

static const unsigned char detail_js[] = {
#embed "../HTTPAPI/Pages/detail.js"
};

static const unsigned char device_js[] = {
#embed "../HTTPAPI/Pages/device.js"
};

static const unsigned char devicelist_js[] = {
#embed "../HTTPAPI/Pages/devicelist.js"
};

static const unsigned char devices_js[] = {
#embed "../HTTPAPI/Pages/devices.js"
};

static const unsigned char docs_css[] = {
#embed "../HTTPAPI/Pages/docs.css"
};

static const unsigned char docs_js[] = {
#embed "../HTTPAPI/Pages/docs.js"
};

static const unsigned char dom_js[] = {
#embed "../HTTPAPI/Pages/dom.js"
};

static const unsigned char edit_js[] = {
#embed "../HTTPAPI/Pages/edit.js"
};

static const unsigned char editor_js[] = {
#embed "../HTTPAPI/Pages/editor.js"
};

static const unsigned char evaluate_js[] = {
#embed "../HTTPAPI/Pages/evaluate.js"
};

static const unsigned char export_js[] = {
#embed "../HTTPAPI/Pages/export.js"
};

static const unsigned char feedback_js[] = {
#embed "../HTTPAPI/Pages/feedback.js"
};

static const unsigned char filters_js[] = {
#embed "../HTTPAPI/Pages/filters.js"
};

static const unsigned char following_js[] = {
#embed "../HTTPAPI/Pages/following.js"
};

static const unsigned char grammar_js[] = {
#embed "../HTTPAPI/Pages/grammar.js"
};

static const unsigned char hearing_js[] = {
#embed "../HTTPAPI/Pages/hearing.js"
};

static const unsigned char history_js[] = {
#embed "../HTTPAPI/Pages/history.js"
};

static const unsigned char icon_192_png[] = {
#embed "../HTTPAPI/Pages/icon-192.png"
};

static const unsigned char icon_512_png[] = {
#embed "../HTTPAPI/Pages/icon-512.png"
};

static const unsigned char icon_svg[] = {
#embed "../HTTPAPI/Pages/icon.svg"
};

static const unsigned char import_js[] = {
#embed "../HTTPAPI/Pages/import.js"
};

static const unsigned char items_js[] = {
#embed "../HTTPAPI/Pages/items.js"
};

static const unsigned char kept_js[] = {
#embed "../HTTPAPI/Pages/kept.js"
};

static const unsigned char keys_js[] = {
#embed "../HTTPAPI/Pages/keys.js"
};

static const unsigned char live_js[] = {
#embed "../HTTPAPI/Pages/live.js"
};

static const unsigned char manifest_webmanifest[] = {
#embed "../HTTPAPI/Pages/manifest.webmanifest"
};

static const unsigned char numbers_js[] = {
#embed "../HTTPAPI/Pages/numbers.js"
};

static const unsigned char photo_js[] = {
#embed "../HTTPAPI/Pages/photo.js"
};

static const unsigned char qr_js[] = {
#embed "../HTTPAPI/Pages/qr.js"
};

static const unsigned char reads_js[] = {
#embed "../HTTPAPI/Pages/reads.js"
};

static const unsigned char recent_js[] = {
#embed "../HTTPAPI/Pages/recent.js"
};

static const unsigned char recording_js[] = {
#embed "../HTTPAPI/Pages/recording.js"
};

static const unsigned char removal_js[] = {
#embed "../HTTPAPI/Pages/removal.js"
};

static const unsigned char results_js[] = {
#embed "../HTTPAPI/Pages/results.js"
};

static const unsigned char retake_js[] = {
#embed "../HTTPAPI/Pages/retake.js"
};

static const unsigned char scan_js[] = {
#embed "../HTTPAPI/Pages/scan.js"
};

static const unsigned char scanner_js[] = {
#embed "../HTTPAPI/Pages/scanner.js"
};

static const unsigned char sending_js[] = {
#embed "../HTTPAPI/Pages/sending.js"
};

static const unsigned char sheet_js[] = {
#embed "../HTTPAPI/Pages/sheet.js"
};

static const unsigned char strings_de_js[] = {
#embed "../HTTPAPI/Pages/strings.de.js"
};

static const unsigned char strings_es_js[] = {
#embed "../HTTPAPI/Pages/strings.es.js"
};

static const unsigned char strings_js[] = {
#embed "../HTTPAPI/Pages/strings.js"
};

static const unsigned char sw_js[] = {
#embed "../HTTPAPI/Pages/sw.js"
};

static const unsigned char thumbnail_js[] = {
#embed "../HTTPAPI/Pages/thumbnail.js"
};

static const unsigned char uploads_js[] = {
#embed "../HTTPAPI/Pages/uploads.js"
};

static const unsigned char verdicts_js[] = {
#embed "../HTTPAPI/Pages/verdicts.js"
};

static const unsigned char viewfinder_js[] = {
#embed "../HTTPAPI/Pages/viewfinder.js"
};

static const unsigned char windowed_js[] = {
#embed "../HTTPAPI/Pages/windowed.js"
};

static const SerialScanEmbeddedFile files[] = {
    {"index.html", index_html, sizeof(index_html)},
    {"docs.html", docs_html, sizeof(docs_html)},
    {"api.js", api_js, sizeof(api_js)},
    {"app.css", app_css, sizeof(app_css)},
    {"app.js", app_js, sizeof(app_js)},
    {"batch.js", batch_js, sizeof(batch_js)},
    {"batches.js", batches_js, sizeof(batches_js)},
    {"camera.js", camera_js, sizeof(camera_js)},
    {"cells.js", cells_js, sizeof(cells_js)},
    {"chart.js", chart_js, sizeof(chart_js)},
    {"check.js", check_js, sizeof(check_js)},
    {"custom.js", custom_js, sizeof(custom_js)},
    {"detail.js", detail_js, sizeof(detail_js)},
    {"device.js", device_js, sizeof(device_js)},
    {"devicelist.js", devicelist_js, sizeof(devicelist_js)},
    {"devices.js", devices_js, sizeof(devices_js)},
    {"docs.css", docs_css, sizeof(docs_css)},
    {"docs.js", docs_js, sizeof(docs_js)},
    {"dom.js", dom_js, sizeof(dom_js)},
    {"edit.js", edit_js, sizeof(edit_js)},
    {"editor.js", editor_js, sizeof(editor_js)},
    {"evaluate.js", evaluate_js, sizeof(evaluate_js)},
    {"export.js", export_js, sizeof(export_js)},
    {"feedback.js", feedback_js, sizeof(feedback_js)},
    {"filters.js", filters_js, sizeof(filters_js)},
    {"following.js", following_js, sizeof(following_js)},
    {"grammar.js", grammar_js, sizeof(grammar_js)},
    {"hearing.js", hearing_js, sizeof(hearing_js)},
    {"history.js", history_js, sizeof(history_js)},
    {"icon-192.png", icon_192_png, sizeof(icon_192_png)},
    {"icon-512.png", icon_512_png, sizeof(icon_512_png)},
    {"icon.svg", icon_svg, sizeof(icon_svg)},
    {"import.js", import_js, sizeof(import_js)},
    {"items.js", items_js, sizeof(items_js)},
    {"kept.js", kept_js, sizeof(kept_js)},
    {"keys.js", keys_js, sizeof(keys_js)},
    {"live.js", live_js, sizeof(live_js)},
    {"manifest.webmanifest", manifest_webmanifest, sizeof(manifest_webmanifest)},
    {"numbers.js", numbers_js, sizeof(numbers_js)},
    {"photo.js", photo_js, sizeof(photo_js)},
    {"qr.js", qr_js, sizeof(qr_js)},
    {"reads.js", reads_js, sizeof(reads_js)},
    {"recent.js", recent_js, sizeof(recent_js)},
    {"recording.js", recording_js, sizeof(recording_js)},
    {"removal.js", removal_js, sizeof(removal_js)},
    {"results.js", results_js, sizeof(results_js)},
    {"retake.js", retake_js, sizeof(retake_js)},
    {"scan.js", scan_js, sizeof(scan_js)},
    {"scanner.js", scanner_js, sizeof(scanner_js)},
    {"sending.js", sending_js, sizeof(sending_js)},
    {"sheet.js", sheet_js, sizeof(sheet_js)},
    {"strings.de.js", strings_de_js, sizeof(strings_de_js)},
    {"strings.es.js", strings_es_js, sizeof(strings_es_js)},
    {"strings.js", strings_js, sizeof(strings_js)},
    {"sw.js", sw_js, sizeof(sw_js)},
    {"thumbnail.js", thumbnail_js, sizeof(thumbnail_js)},
    {"uploads.js", uploads_js, sizeof(uploads_js)},
    {"verdicts.js", verdicts_js, sizeof(verdicts_js)},
    {"viewfinder.js", viewfinder_js, sizeof(viewfinder_js)},
    {"windowed.js", windowed_js, sizeof(windowed_js)},
};

size_t serialscan_embedded_page_count(void) { return sizeof(files) / sizeof(files[0]); }

SerialScanEmbeddedFile serialscan_embedded_page(size_t index) { return files[index]; }

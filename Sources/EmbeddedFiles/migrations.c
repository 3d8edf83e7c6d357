#include "EmbeddedFiles.h"

// A new migration needs one array and one row here; a test compares this list with the folder.
static const unsigned char jobs[] = {
#embed "../../Migrations/0001_jobs.sql"
};

static const unsigned char serials[] = {
#embed "../../Migrations/0002_serials.sql"
};

static const unsigned char keys_and_tasks[] = {
#embed "../../Migrations/0003_keys_and_tasks.sql"
};

static const unsigned char photo_names_and_checks[] = {
#embed "../../Migrations/0004_photo_names_and_checks.sql"
};

static const unsigned char origins[] = {
#embed "../../Migrations/0005_origins.sql"
};

static const unsigned char task_leases_and_blob_removals[] = {
#embed "../../Migrations/0006_task_leases_and_blob_removals.sql"
};

static const unsigned char verdict_counts[] = {
#embed "../../Migrations/0007_verdict_counts.sql"
};

static const unsigned char changes_go_with_their_serial[] = {
#embed "../../Migrations/0008_changes_go_with_their_serial.sql"
};

static const unsigned char opening[] = {
#embed "../../Migrations/0009_opening.sql"
};

static const unsigned char parts_of_photos[] = {
#embed "../../Migrations/0010_parts_of_photos.sql"
};

static const unsigned char every_serial[] = {
#embed "../../Migrations/0011_every_serial.sql"
};

static const unsigned char serials_saved_once[] = {
#embed "../../Migrations/0012_serials_saved_once.sql"
};

static const unsigned char fields[] = {
#embed "../../Migrations/0013_fields.sql"
};

static const unsigned char folded_texts[] = {
#embed "../../Migrations/0014_folded_texts.sql"
};

static const unsigned char webhooks[] = {
#embed "../../Migrations/0015_webhooks.sql"
};

static const unsigned char model_codes[] = {
#embed "../../Migrations/0016_model_codes.sql"
};

static const unsigned char devices[] = {
#embed "../../Migrations/0017_devices.sql"
};

static const unsigned char batches[] = {
#embed "../../Migrations/0018_batches.sql"
};

static const unsigned char thumbnails[] = {
#embed "../../Migrations/0019_thumbnails.sql"
};

static const unsigned char reviews[] = {
#embed "../../Migrations/0020_reviews.sql"
};

static const unsigned char photos_sent_again[] = {
#embed "../../Migrations/0021_photos_sent_again.sql"
};

static const unsigned char first_jobs_of_photos[] = {
#embed "../../Migrations/0022_first_jobs_of_photos.sql"
};

static const unsigned char least_confidence[] = {
#embed "../../Migrations/0023_least_confidence.sql"
};

static const unsigned char bytes_of_photos[] = {
#embed "../../Migrations/0024_bytes_of_photos.sql"
};

static const unsigned char serials_of_duplicates[] = {
#embed "../../Migrations/0025_serials_of_duplicates.sql"
};

static const unsigned char facets_of_one_device[] = {
#embed "../../Migrations/0026_facets_of_one_device.sql"
};

static const unsigned char indexes_of_reviews[] = {
#embed "../../Migrations/0027_indexes_of_reviews.sql"
};

static const SerialScanEmbeddedFile files[] = {
    {"0001_jobs.sql", jobs, sizeof(jobs)},
    {"0002_serials.sql", serials, sizeof(serials)},
    {"0003_keys_and_tasks.sql", keys_and_tasks, sizeof(keys_and_tasks)},
    {"0004_photo_names_and_checks.sql", photo_names_and_checks, sizeof(photo_names_and_checks)},
    {"0005_origins.sql", origins, sizeof(origins)},
    {"0006_task_leases_and_blob_removals.sql", task_leases_and_blob_removals, sizeof(task_leases_and_blob_removals)},
    {"0007_verdict_counts.sql", verdict_counts, sizeof(verdict_counts)},
    {"0008_changes_go_with_their_serial.sql", changes_go_with_their_serial, sizeof(changes_go_with_their_serial)},
    {"0009_opening.sql", opening, sizeof(opening)},
    {"0010_parts_of_photos.sql", parts_of_photos, sizeof(parts_of_photos)},
    {"0011_every_serial.sql", every_serial, sizeof(every_serial)},
    {"0012_serials_saved_once.sql", serials_saved_once, sizeof(serials_saved_once)},
    {"0013_fields.sql", fields, sizeof(fields)},
    {"0014_folded_texts.sql", folded_texts, sizeof(folded_texts)},
    {"0015_webhooks.sql", webhooks, sizeof(webhooks)},
    {"0016_model_codes.sql", model_codes, sizeof(model_codes)},
    {"0017_devices.sql", devices, sizeof(devices)},
    {"0018_batches.sql", batches, sizeof(batches)},
    {"0019_thumbnails.sql", thumbnails, sizeof(thumbnails)},
    {"0020_reviews.sql", reviews, sizeof(reviews)},
    {"0021_photos_sent_again.sql", photos_sent_again, sizeof(photos_sent_again)},
    {"0022_first_jobs_of_photos.sql", first_jobs_of_photos, sizeof(first_jobs_of_photos)},
    {"0023_least_confidence.sql", least_confidence, sizeof(least_confidence)},
    {"0024_bytes_of_photos.sql", bytes_of_photos, sizeof(bytes_of_photos)},
    {"0025_serials_of_duplicates.sql", serials_of_duplicates, sizeof(serials_of_duplicates)},
    {"0026_facets_of_one_device.sql", facets_of_one_device, sizeof(facets_of_one_device)},
    {"0027_indexes_of_reviews.sql", indexes_of_reviews, sizeof(indexes_of_reviews)},
};

size_t serialscan_embedded_migration_count(void) { return sizeof(files) / sizeof(files[0]); }

SerialScanEmbeddedFile serialscan_embedded_migration(size_t index) { return files[index]; }

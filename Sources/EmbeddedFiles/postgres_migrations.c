#include "EmbeddedFiles.h"

// A new migration needs one array and one row here; a test compares this list with the folder.
static const unsigned char store[] = {
#embed "../../Migrations/postgres/0001_store.sql"
};

static const unsigned char origins[] = {
#embed "../../Migrations/postgres/0002_origins.sql"
};

static const unsigned char photos_and_task_leases[] = {
#embed "../../Migrations/postgres/0003_photos_and_task_leases.sql"
};

static const unsigned char workers_of_servers[] = {
#embed "../../Migrations/postgres/0004_workers_of_servers.sql"
};

static const unsigned char hearing_servers[] = {
#embed "../../Migrations/postgres/0005_hearing_servers.sql"
};

static const unsigned char verdict_counts[] = {
#embed "../../Migrations/postgres/0006_verdict_counts.sql"
};

static const unsigned char marked_photo_folders[] = {
#embed "../../Migrations/postgres/0007_marked_photo_folders.sql"
};

static const unsigned char changes_go_with_their_serial[] = {
#embed "../../Migrations/postgres/0008_changes_go_with_their_serial.sql"
};

static const unsigned char awaited_jobs[] = {
#embed "../../Migrations/postgres/0009_awaited_jobs.sql"
};

static const unsigned char parts_of_photos[] = {
#embed "../../Migrations/postgres/0010_parts_of_photos.sql"
};

static const unsigned char every_serial[] = {
#embed "../../Migrations/postgres/0011_every_serial.sql"
};

static const unsigned char serials_saved_once[] = {
#embed "../../Migrations/postgres/0012_serials_saved_once.sql"
};

static const unsigned char fields[] = {
#embed "../../Migrations/postgres/0013_fields.sql"
};

static const unsigned char folded_texts[] = {
#embed "../../Migrations/postgres/0014_folded_texts.sql"
};

static const unsigned char webhooks[] = {
#embed "../../Migrations/postgres/0015_webhooks.sql"
};

static const unsigned char model_codes[] = {
#embed "../../Migrations/postgres/0016_model_codes.sql"
};

static const unsigned char devices[] = {
#embed "../../Migrations/postgres/0017_devices.sql"
};

static const unsigned char batches[] = {
#embed "../../Migrations/postgres/0018_batches.sql"
};

static const unsigned char thumbnails[] = {
#embed "../../Migrations/postgres/0019_thumbnails.sql"
};

static const unsigned char reviews[] = {
#embed "../../Migrations/postgres/0020_reviews.sql"
};

static const unsigned char photos_sent_again[] = {
#embed "../../Migrations/postgres/0021_photos_sent_again.sql"
};

static const unsigned char first_jobs_of_photos[] = {
#embed "../../Migrations/postgres/0022_first_jobs_of_photos.sql"
};

static const unsigned char least_confidence[] = {
#embed "../../Migrations/postgres/0023_least_confidence.sql"
};

static const unsigned char bytes_of_photos[] = {
#embed "../../Migrations/postgres/0024_bytes_of_photos.sql"
};

static const unsigned char serials_of_duplicates[] = {
#embed "../../Migrations/postgres/0025_serials_of_duplicates.sql"
};

static const unsigned char plans_of_devices[] = {
#embed "../../Migrations/postgres/0026_plans_of_devices.sql"
};

static const unsigned char next_jobs_of_photos[] = {
#embed "../../Migrations/postgres/0027_next_jobs_of_photos.sql"
};

static const unsigned char reviews_of_a_key[] = {
#embed "../../Migrations/postgres/0028_reviews_of_a_key.sql"
};

static const SerialScanEmbeddedFile files[] = {
    {"0001_store.sql", store, sizeof(store)},
    {"0002_origins.sql", origins, sizeof(origins)},
    {"0003_photos_and_task_leases.sql", photos_and_task_leases, sizeof(photos_and_task_leases)},
    {"0004_workers_of_servers.sql", workers_of_servers, sizeof(workers_of_servers)},
    {"0005_hearing_servers.sql", hearing_servers, sizeof(hearing_servers)},
    {"0006_verdict_counts.sql", verdict_counts, sizeof(verdict_counts)},
    {"0007_marked_photo_folders.sql", marked_photo_folders, sizeof(marked_photo_folders)},
    {"0008_changes_go_with_their_serial.sql", changes_go_with_their_serial, sizeof(changes_go_with_their_serial)},
    {"0009_awaited_jobs.sql", awaited_jobs, sizeof(awaited_jobs)},
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
    {"0026_plans_of_devices.sql", plans_of_devices, sizeof(plans_of_devices)},
    {"0027_next_jobs_of_photos.sql", next_jobs_of_photos, sizeof(next_jobs_of_photos)},
    {"0028_reviews_of_a_key.sql", reviews_of_a_key, sizeof(reviews_of_a_key)},
};

size_t serialscan_embedded_postgres_migration_count(void) { return sizeof(files) / sizeof(files[0]); }

SerialScanEmbeddedFile serialscan_embedded_postgres_migration(size_t index) { return files[index]; }

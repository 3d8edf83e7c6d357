-- A list of thousands of devices is imported in seconds. The functions are those of before, and do the same.

-- Their plans are kept by the connection. One that was made while a table had few rows would search all of them for each row of
-- an import, which has added thousands since.
ALTER FUNCTION keep_devices() SET enable_seqscan = off;
ALTER FUNCTION keep_device_values() SET enable_seqscan = off;

-- As PL/pgSQL it is planned once by a connection. In SQL it is planned at each call, which took longer than the rest of what a
-- value or a read changes of its device.
CREATE OR REPLACE FUNCTION write_device_text(wanted text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE devices SET search_text = coalesce(
      (SELECT nullif(serials.search_text, '') FROM serials WHERE serials.id = devices.best_id), lower(devices.serial))
    || chr(10) || device_type_key || coalesce(
      (SELECT chr(10) || string_agg(value_key, chr(10)) FROM device_values
        WHERE device_values.serial = devices.serial AND left(name, 1) <> '='), '')
  WHERE serial = wanted;
END $$;

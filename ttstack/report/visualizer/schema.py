"""The tables of its database: schema 2.1 of tt-metal's ttnn/graph_report.py, as ttnn-visualizer 0.108 reads it.

Where on each core buffers lie is a view of how long they live: a row for each op, buffer and core would be most of the
file. `buffers` must be a table, or tools that answer from it refuse; it is filled from the same.
"""

SCHEMA = """
CREATE TABLE devices (device_id int, num_y_cores int, num_x_cores int, num_y_compute_cores int, num_x_compute_cores int,
  worker_l1_size int, l1_num_banks int, l1_bank_size int, address_at_first_l1_bank int,
  address_at_first_l1_cb_buffer int, num_banks_per_storage_core int, num_compute_cores int, num_storage_cores int,
  total_l1_memory int, total_l1_for_tensors int, total_l1_for_interleaved_buffers int,
  total_l1_for_sharded_buffers int, cb_limit int);
CREATE TABLE operations (operation_id int UNIQUE, name text, duration float);
CREATE TABLE operation_arguments (operation_id int, name text, value text);
CREATE TABLE tensors (tensor_id int UNIQUE, shape text, dtype text, layout text, memory_config text, device_id int,
  address int, buffer_type int, size int);
CREATE TABLE device_tensors (tensor_id int, device_id int, address int);
CREATE TABLE captured_graph (operation_id int, captured_graph text);
CREATE TABLE nodes (operation_id int, unique_id int, node_operation_id int, name text);
CREATE TABLE edges (operation_id int, source_unique_id int, sink_unique_id int, source_output_index int,
  sink_input_index int, key int);
CREATE TABLE report_metadata (key text UNIQUE, value text);
CREATE TABLE errors (operation_id int, operation_name text, error_type text, error_message text, stack_trace text,
  timestamp text);
CREATE TABLE source_files (id INTEGER PRIMARY KEY, path text UNIQUE NOT NULL, contents text);
CREATE TABLE stack_traces (operation_id int, stack_trace text, source_file_id int REFERENCES source_files(id));
CREATE TABLE input_tensors (operation_id int, input_index int, tensor_id int);
CREATE TABLE output_tensors (operation_id int, output_index int, tensor_id int);
CREATE TABLE local_tensor_comparison_records (tensor_id int, golden_tensor_id int, matches int, desired_pcc float,
  actual_pcc float);
CREATE TABLE global_tensor_comparison_records (tensor_id int, golden_tensor_id int, matches int, desired_pcc float,
  actual_pcc float);
CREATE TABLE lives (tensor_id int, address int, nbytes int, buffer_type int, buffer_layout int, first int, last int);
CREATE TABLE cores (tensor_id int, core_x int, core_y int, bank_id int);
CREATE TABLE buffers (operation_id int, device_id int, address int, max_size_per_bank int, buffer_type int,
  buffer_layout int);
CREATE VIEW buffer_chunks AS SELECT operation_id, 0 AS device_id, address, bank_id, core_x, core_y,
  address AS chunk_address, nbytes AS chunk_size, nbytes AS page_size, 1 AS num_pages, buffer_type, 0 AS rank
  FROM operations JOIN lives ON operation_id BETWEEN first AND last JOIN cores USING (tensor_id);
CREATE VIEW buffer_pages AS SELECT operation_id, device_id, address, core_y, core_x, bank_id, bank_id AS page_index,
  chunk_address AS page_address, chunk_size AS page_size, buffer_type FROM buffer_chunks;
CREATE INDEX operation_of_arguments ON operation_arguments (operation_id);
CREATE INDEX operation_of_inputs ON input_tensors (operation_id);
CREATE INDEX operation_of_outputs ON output_tensors (operation_id);
CREATE INDEX operation_of_graphs ON captured_graph (operation_id);
CREATE INDEX operation_of_traces ON stack_traces (operation_id);
CREATE INDEX tensor_of_cores ON cores (tensor_id);
CREATE INDEX operation_of_buffers ON buffers (operation_id);
"""

FILL_BUFFERS = """
INSERT INTO buffers SELECT operation_id, 0, address, nbytes, buffer_type, buffer_layout
  FROM operations JOIN lives ON operation_id BETWEEN first AND last
"""

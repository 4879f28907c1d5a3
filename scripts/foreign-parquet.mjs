// Writes Parquet files by other writers, each with a table of what was written,
// for TestFilesOfOtherWriters:
//
//   npm install --prefix DIR @duckdb/node-api hyparquet hyparquet-writer parquet-wasm apache-arrow
//   node scripts/foreign-parquet.mjs DIR OUT
//   LEONTIEF_PARQUET=OUT go test -run OtherWriters -v ./traces/parquet
//
// DuckDB, hyparquet-writer and parquet-wasm (Rust's parquet), with every codec,
// encoding and page version that each has; with and without nulls; 0, 1 and 5,000
// rows; several row groups and pages. A name with "refused-WHAT" is that of a file
// of which the reader must refuse a column and say WHAT.
import { createRequire } from 'module'
import fs from 'fs'
import path from 'path'
import zlib from 'zlib'
import { pathToFileURL } from 'url'

const [modules, out] = process.argv.slice(2)
fs.mkdirSync(out, { recursive: true })
const require = createRequire(path.resolve(modules, 'package.json'))
const load = async (name, entry) => entry ? await import(pathToFileURL(path.resolve(modules, 'node_modules', name, entry)).href) : require(name)
let files = 0
const sizes = process.env.ROWS ? [Number(process.env.ROWS)] : [0, 1, 5000]
const truthRows = (name, names, rows) => fs.writeFileSync(`${out}/truth-${name}.csv`,
  [names, ...rows].map(r => r.map(v => v === null || v === undefined ? '\\N' : `"${String(v).replaceAll('"', '""')}"`).join(',')).join('\n') + '\n')
const save = (name, bytes) => { fs.writeFileSync(`${out}/${name}.parquet`, Buffer.from(bytes)); files++ }

await duckdb()
await hyparquet()
await rust()
console.log(files, 'files')

async function duckdb() {
  const { DuckDBInstance } = await load('@duckdb/node-api')
  const c = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
  const query = (n, nulls) => {
    const or = (e, k) => nulls ? `case when (i*7+${k})%11=0 then null else ${e} end` : e
    return `select 'job-'||i as id, ${or('(i%97)::int', 1)} as i32, ${or('(i*123456789012)::bigint', 2)} as i64, ${or('(i%251)::utinyint', 3)} as u8,
      ${or('(18446744073709551615::ubigint - i::ubigint)', 4)} as u64, ${or('(4294967295 - i)::uinteger', 5)} as u32, ${or('(i*0.37)::double', 6)} as f64,
      ${or('(i*0.1)::float', 7)} as f32, ${or('(i%3=0)', 8)} as b, ${or('(i*1.01)::decimal(9,2)', 9)} as d32, ${or('(-i*1.001)::decimal(18,3)', 10)} as d64,
      ${or('(i*100000000000000000.000001)::decimal(38,6)', 1)} as d128, ${or("timestamp '2026-10-01 00:00:00' + to_seconds(i) + to_microseconds(i%7)", 2)} as ts,
      ${or("(timestamptz '2026-10-01 00:00:00+00' + to_seconds(i))", 3)} as tz, ${or("(timestamp '2026-10-01 00:00:00' + to_seconds(i))::timestamp_ms", 4)} as tms,
      ${or("(timestamp_ns '2026-10-01 00:00:00.123456789')", 4)} as tns, ${or("(date '1969-12-01' + i::int)", 5)} as dt, ${or("('zone-'||(i%5))", 6)} as zone,
      ${or("repeat('abc', (i%9)::int)||i", 7)} as txt, ${or('md5(i::varchar)::uuid', 8)} as uu,
      ${or("(case i%3 when 0 then 'big' when 1 then 'small' else 'mid' end)::enum('small','mid','big')", 9)} as en, null::int as none,
      [i, i+1] as nested, {'a': i} as st from range(${n}) t(i)`
  }
  for (const nulls of [false, true]) for (const n of sizes) {
    const what = `duck-${nulls ? 'nulls' : 'full'}-${n}`
    for (const codec of ['uncompressed', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4_raw']) for (const version of ['V1', 'V2']) {
      await c.run(`copy (${query(n, nulls)}) to '${out}/${codec}-${version}-${what}.parquet' (format parquet, codec '${codec}', parquet_version '${version}', row_group_size 2048)`)
      files++
    }
    await c.run(`create or replace table q as ${query(n, nulls)}`)
    await c.run(`copy (select id, i32, i64, u8, u64, u32, f64, f32, b, d32, d64, d128, strftime(ts, '%Y-%m-%dT%H:%M:%S.%f') ts,
      strftime(tz at time zone 'UTC', '%Y-%m-%dT%H:%M:%S') tz, strftime(tms::timestamp, '%Y-%m-%dT%H:%M:%S') tms,
      case when tns is null then null else '2026-10-01T00:00:00.123456789' end tns, strftime(dt, '%Y-%m-%dT00:00:00') dt, zone, txt, uu, en, none from q)
      to '${out}/truth-${what}.csv' (header, nullstr '\\N', force_quote *)`)
  }
  for (const [what, e] of [['nested', '[1, 2]'], ['nested', "{'a': 1}"], ['nested', "map {'a': 1}"], ['Time', "time '10:00:00'"], ['Interval', 'interval 3 days'], ['BYTE_ARRAY', "'\\xFF'::blob"]]) {
    if (what === 'BYTE_ARRAY') continue
    await c.run(`copy (select ${e} as x) to '${out}/duck-${files}-refused-${what}.parquet' (format parquet)`)
    files++
  }
}

async function hyparquet() {
  const { parquetWriteBuffer } = await load('hyparquet-writer', 'src/index.js')
  const compressors = { GZIP: b => zlib.gzipSync(b), BROTLI: b => zlib.brotliCompressSync(b), ...(zlib.zstdCompressSync ? { ZSTD: b => zlib.zstdCompressSync(b) } : {}) }
  const types = {
    INT32: [i => (i * 37) % 4001 - 2000, ['PLAIN', 'RLE_DICTIONARY', 'DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT']],
    INT64: [i => BigInt(i) * 12345678901n - 7n, ['PLAIN', 'RLE_DICTIONARY', 'DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT']],
    FLOAT: [i => i * 0.25, ['PLAIN', 'RLE_DICTIONARY', 'BYTE_STREAM_SPLIT']],
    DOUBLE: [i => i / 7, ['PLAIN', 'RLE_DICTIONARY', 'BYTE_STREAM_SPLIT']],
    BOOLEAN: [i => i % 3 === 0, ['PLAIN', 'RLE']],
    STRING: [i => 'text-' + 'x'.repeat(i % 13) + i, ['PLAIN', 'RLE_DICTIONARY', 'DELTA_LENGTH_BYTE_ARRAY', 'DELTA_BYTE_ARRAY']],
  }
  for (const nullable of [false, true]) for (const n of sizes) {
    const index = [...Array(n).keys()]
    const columns = []
    for (const [type, [value, encodings]] of Object.entries(types)) for (const encoding of encodings)
      columns.push({ name: `${type}_${encoding}`, type, encoding, nullable, data: index.map(i => nullable && i % 7 === 3 ? null : value(i)) })
    const what = `hyparquet-${nullable ? 'nulls' : 'full'}-${n}`
    truthRows(what, columns.map(c => c.name), index.map(i => columns.map(c => c.data[i])))
    for (const codec of ['UNCOMPRESSED', 'SNAPPY', ...Object.keys(compressors)]) for (const pageSize of [300, 1 << 20])
      save(`${codec}-${pageSize}-${what}`, parquetWriteBuffer({ columnData: columns, codec, pageSize, rowGroupSize: [1000, 700], ...(compressors[codec] ? { compressors } : {}) }))
  }
  save(`hyparquet-refused-Float16`, parquetWriteBuffer({ columnData: [{ name: 'x', type: 'FLOAT16', data: [1, 2] }] }))
}

async function rust() {
  const w = await load('parquet-wasm', 'node/parquet_wasm.js')
  const a = await load('apache-arrow')
  const make = (n, nulls) => {
    const index = [...Array(n).keys()]
    const or = f => index.map(i => nulls && i % 5 === 2 ? null : f(i))
    const values = {
      id: index.map(i => 'job-' + i), i8: or(i => i % 100 - 50), i16: or(i => i * 3 - 500), i32: or(i => i * 12345), i64: or(i => BigInt(i) * 99999999999n), u32: or(i => 4294967295 - i),
      f32: or(i => i * 0.5), f64: or(i => i / 3), b: or(i => i % 4 === 1), text: or(i => ['a', 'bb', 'ccc'][i % 3] + i), zone: or(i => 'zone-' + i % 4),
    }
    const type = { id: new a.Utf8(), i8: new a.Int8(), i16: new a.Int16(), i32: new a.Int32(), i64: new a.Int64(), u32: new a.Uint32(), f32: new a.Float32(), f64: new a.Float64(), b: new a.Bool(), text: new a.Utf8(), zone: new a.Utf8() }
    const table = new a.Table(Object.fromEntries(Object.keys(values).map(k => [k, a.vectorFromArray(values[k], type[k])])))
    return { index, values, ipc: a.tableToIPC(table, 'stream') }
  }
  const codecs = { UNCOMPRESSED: 0, SNAPPY: 1, GZIP: 2, BROTLI: 3, ZSTD: 5, LZ4_RAW: 6 }
  for (const nulls of [false, true]) for (const n of sizes) {
    const { index, values, ipc } = make(n, nulls)
    const what = `rust-${nulls ? 'nulls' : 'full'}-${n}`
    truthRows(what, Object.keys(values), index.map(i => Object.keys(values).map(k => values[k][i])))
    for (const codec of Object.keys(codecs)) for (const version of [w.WriterVersion.V1, w.WriterVersion.V2]) for (const dictionary of [true, false]) for (const page of [500, 1 << 20]) {
      let p = new w.WriterPropertiesBuilder().setCompression(w.Compression[codec]).setWriterVersion(version).setDictionaryEnabled(dictionary)
        .setDataPageSizeLimit(page).setWriteBatchSize(64).setMaxRowGroupSize(1500)
      save(`${codec}-V${version}-${dictionary ? 'dict' : 'plain'}-${page}-${what}`, w.writeParquet(w.Table.fromIPCStream(ipc), p.build()))
    }
    for (const [column, encodings] of Object.entries({
      i32: ['DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT'], i64: ['DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT'], f32: ['BYTE_STREAM_SPLIT'], f64: ['BYTE_STREAM_SPLIT'],
      b: ['RLE'], text: ['DELTA_LENGTH_BYTE_ARRAY', 'DELTA_BYTE_ARRAY'],
    })) for (const encoding of encodings) for (const version of [w.WriterVersion.V1, w.WriterVersion.V2]) {
      const p = new w.WriterPropertiesBuilder().setCompression(w.Compression.ZSTD).setWriterVersion(version).setDictionaryEnabled(false)
        .setColumnEncoding(column, w.Encoding[encoding]).setDataPageSizeLimit(2000).setWriteBatchSize(64).build()
      try {
        save(`${column}-${encoding}-V${version}-${what}`, w.writeParquet(w.Table.fromIPCStream(ipc), p))
      } catch (e) { console.error(`${column} ${encoding}: ${String(e).slice(0, 150)}`) }
    }
  }
}

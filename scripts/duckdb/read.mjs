// Prints what DuckDB finds in Parquet files, as JSON: of each file its columns, with
// type and number of nulls, the mean of the numbers and the number of trues.
//
//   node scripts/duckdb/read.mjs FOLDER_WITH_NODE_MODULES TABLE.parquet ...
import { createRequire } from 'module'
import path from 'path'

const [modules, ...files] = process.argv.slice(2)
const { DuckDBInstance } = createRequire(path.resolve(modules, 'package.json'))('@duckdb/node-api')
const duck = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
const rows = async query => (await duck.runAndReadAll(query)).getRows()
const text = s => `'${s.replaceAll("'", "''")}'`
const name = s => `"${s.replaceAll('"', '""')}"`

const tables = {}
for (const file of files) {
  const from = `from read_parquet(${text(path.resolve(file))})`
  const columns = []
  for (const [column, type] of await rows(`describe select * ${from}`)) {
    const mean = type === 'VARCHAR' ? 'null' : `avg(${name(column)}::double)`
    const [[total, there, value]] = await rows(`select count(*), count(${name(column)}), ${mean} ${from}`)
    columns.push({ name: column, type, rows: Number(total), nulls: Number(total - there), mean: value })
  }
  tables[file] = columns
}
console.log(JSON.stringify(tables))

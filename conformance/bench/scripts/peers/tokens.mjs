// Counts tokens of `o200k_base`: a list of texts in, a list of numbers out.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

let given = ''
for await (const chunk of process.stdin) given += chunk
console.log(JSON.stringify(JSON.parse(given).map((it) => countTokens(it, { allowedSpecial: 'all' }))))

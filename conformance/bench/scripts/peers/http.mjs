// Fifty calls that follow each other, over loopback HTTP.
const headers = { authorization: `Bearer ${process.env.TOKEN}` }
const next = async (n) => {
  const answer = await fetch(`http://127.0.0.1:${process.env.PORT}/next`, { method: 'POST', headers, body: JSON.stringify(n) })
  return await answer.json()
}
let n = 0
for (let i = 0; i < 50; i++) n = await next(n)
console.log(n)

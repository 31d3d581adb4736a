import { writeHdf5 } from "/work/main/src/files/hdf5-writer.js";
import { openHdf5 } from "/work/main/src/files/hdf5.js";
import { openFile, writeFolder } from "/work/main/src/files/disk.js";
import { openNpy } from "/work/main/src/files/npy.js";
import { EXPORTS } from "/work/main/src/exchange/exports.js";
import { test } from "vitest"; import { createHash } from "node:crypto"; import { readFileSync } from "node:fs";
test("x", async () => {
  const base=process.memoryUsage().rss/1e6;
  for (let k=0;k<3;k++) for (const p of ["/dev/shm/c.h5","/dev/shm/k.h5"]) { const g=await openHdf5(p); const d=g.dataset("/u"); const t=performance.now(); for(let i=0;i<10000;i+=256){await d.read(i,Math.min(10000,i+256));} console.log(p, Math.round(655.36/((performance.now()-t)/1e3)),"MB/s rss +",Math.round(process.memoryUsage().rss/1e6-base)); g.close();}
  for (let k=0;k<2;k++) { const f=await openFile("/dev/shm/c.npy"); const d=await openNpy(f); const t=performance.now(); for(let i=0;i<10000;i+=256){await d.read(i,Math.min(10000,i+256));} console.log("npy", Math.round(655.36/((performance.now()-t)/1e3)),"MB/s rss +",Math.round(process.memoryUsage().rss/1e6-base)); await f.close();}
  let t=performance.now(); await writeHdf5("/dev/shm/w3.h5",{datasets:{"/u":{shape:[10000,128,128],values:{dtype:"float32",rows:(a,b)=>new Float32Array((b-a)*16384)}}}}); console.log("write", Math.round(655.36/((performance.now()-t)/1e3)),"MB/s rss +",Math.round(process.memoryUsage().rss/1e6-base));
  const sha=(p:string)=>createHash("sha256").update(readFileSync(p)).digest("hex").slice(0,8);
  const small=()=>writeHdf5("/dev/shm/w4.h5",{datasets:{"/u":{shape:[2],values:new Float64Array(2)}}});
  await small(); const a=sha("/dev/shm/w4.h5"); await new Promise(r=>setTimeout(r,1500)); await small(); console.log("deterministic", a===sha("/dev/shm/w4.h5"));
  const N=100000, asg={clients:100,bins:20,clientOfSample:Int32Array.from({length:N},(_, i)=>(i*7919)%99),binOfSample:Int32Array.from({length:N},(_, i)=>i%20)};
  for (const [n,f] of Object.entries(EXPORTS)) { if(n==="fedml") continue; const t=performance.now(); for (const x of f.files(asg)) await x.bytes(); console.log(n, Math.round(performance.now()-t),"ms for N=1e5,K=100"); }
  await writeFolder("/dev/shm/flow", EXPORTS.flower.files(asg), {force:true, mine: EXPORTS.flower.mine});
}, 60000);

-- A store as the program left it when stores were of form 9: 24 rows, of which a cap let 20 calls go.
PRAGMA application_id = 1113014868;
BEGIN TRANSACTION;
CREATE TABLE account_pause (
  account TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  since REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE attempt (
  id INTEGER PRIMARY KEY,
  task_pk INTEGER NOT NULL REFERENCES task (id) ON DELETE CASCADE,
  batch_id INTEGER NOT NULL,
  attempt_no INTEGER NOT NULL CHECK (attempt_no >= 1),
  edition INTEGER NOT NULL,
  idempotency_key TEXT NOT NULL,
  stem TEXT NOT NULL,
  started_at REAL NOT NULL,
  ended_at REAL,
  outcome TEXT NOT NULL CHECK (outcome IN ('open', 'success', 'not_sent', 'throttled', 'transient',
    'offline', 'unknown', 'refused', 'invalid', 'account', 'local', 'adopted', 'discarded')),
  sent INTEGER NOT NULL DEFAULT 1 CHECK (sent IN (0, 1)),
  latency_s REAL,
  http_status INTEGER,
  request_id TEXT,
  job_id TEXT,
  error_class TEXT,
  error_code TEXT,
  said TEXT,
  body TEXT NOT NULL DEFAULT '',
  wait_s REAL,
  cost_nano INTEGER,
  currency TEXT,
  billed TEXT NOT NULL DEFAULT 'maybe' CHECK (billed IN ('no', 'yes', 'maybe')),
  usage TEXT, reserved_nano INTEGER
  CHECK (reserved_nano IS NULL OR (reserved_nano >= 0 AND currency IS NOT NULL)), day TEXT, job_context TEXT,
  CHECK ((outcome = 'open') = (ended_at IS NULL)),
  CHECK (cost_nano IS NULL OR currency IS NOT NULL)
);
INSERT INTO "attempt" VALUES(1,1,1,1,1,'01a22e6d-fcec-7000-8558-cf57c187a0bb-1-0','0002_K001',1.79607528989945626259e+09,1.79607529426517295838e+09,'success',1,4.36080603499976859893e+00,200,'req_90211a82de80b90a468b44b3',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(2,2,1,1,1,'01a22e6d-fcec-7001-a6b1-bb5c12985bdb-1-0','0003_K002',1.79607528989945626259e+09,1.79607529007664108279e+09,'transient',1,1.72229558000253746286e-01,500,'req_571b6effe7d708de9ab232a2',NULL,'transient','server_error','["providers.server_error", {"host": "127.0.0.1:38301", "model": "practice", "status": 500}]','{"error":{"message":"The server had an error while processing your request.","type":"server_error","param":null,"code":"server_error"}}',8.13265068177401184712e-02,NULL,'USD','no',NULL,0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(3,3,1,1,1,'01a22e6d-fcec-7002-8d16-934cadeb693a-1-0','0004_K003',1.79607528989945626259e+09,1.79607529320917487145e+09,'success',1,3.30474786299964762292e+00,200,'req_36d4fd54df65f6d9a70d4c72',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(4,4,1,1,1,'01a22e6d-fcec-7003-8def-d23786ee5d30-1-0','0005_K004',1.79607528989945626259e+09,1.7960752924935760498e+09,'success',1,2.58913731599932361859e+00,200,'req_7b317a73b417fdb612209ad6',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(5,5,1,1,1,'01a22e6d-fcec-7004-bfff-d14a9f38bb83-1-0','0006_K005',1.79607528989945626259e+09,1.79607529161371326444e+09,'success',1,1.70926088300075207371e+00,200,'req_2bc61707fd371454a9f51ad2',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(6,6,1,1,1,'01a22e6d-fcec-7005-be50-366642c3a043-1-0','0007_K006',1.79607528989945626259e+09,1.79607529245613074296e+09,'success',1,2.55166647099940746556e+00,200,'req_12955055b213c6b8cd3db9fa',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(7,7,1,1,1,'01a22e6d-fcec-7006-bcc0-aab3d48d0dd2-1-0','0008_K007',1.79607528999896454806e+09,1.79607529224137568474e+09,'success',1,2.23533071499878133181e+00,200,'req_3ec8f77eef9a27289bf51e9b',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(8,8,1,1,1,'01a22e6d-fcec-7007-9adf-447b7cc6ea5b-1-0','0009_K008',1.79607529003046965596e+09,1.79607529452585577963e+09,'success',1,4.47204389400030777323e+00,200,'req_a937bb893713c3790af75b18',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(9,9,1,1,1,'01a22e6d-fcec-7008-83cc-6d78c02c04ef-1-0','0010_K009',1.79607529005649757384e+09,1.79607529263802051544e+09,'success',1,2.55698332999963895417e+00,200,'req_8db397e8a23e14ab84d573ee',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(10,10,1,1,1,'01a22e6d-fcec-7009-9c66-63134753e290-1-0','0011_K010',1.79607529008791613582e+09,1.79607529347134137155e+09,'success',1,3.3770601289998012362e+00,200,'req_2c6c82eb9a28e295d57bd430',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(11,11,1,1,1,'01a22e6d-fcec-700a-a3db-7560e7c31f83-1-0','0012_K011',1.79607529011929416655e+09,1.7960752938253803253e+09,'success',1,3.69547135100037849042e+00,200,'req_637c73d3159af9a0bd2e0ce2',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(12,2,1,2,1,'01a22e6d-fcec-7001-a6b1-bb5c12985bdb-1-1','0003_K002',1.79607529159054613108e+09,1.7960752932183916569e+09,'success',1,1.6264300030015874654e+00,200,'req_84c500ff826a357a90c994ab',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(13,12,1,1,1,'01a22e6d-fcec-700b-b274-ac02baac83e9-1-0','0013_K012',1.79607529221265840532e+09,1.79607529425003170967e+09,'success',1,2.02434718800032,200,'req_21f47e1a53a9394cf40cee69',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(14,13,1,1,1,'01a22e6d-fcec-700c-8422-3bc734dc2df9-1-0','0014_K013',1.79607529243836617476e+09,1.79607529410534381866e+09,'success',1,1.65177743899948836769e+00,200,'req_80228f4497184c4990f74059',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(15,14,1,1,1,'01a22e6d-fcec-700d-baf8-93bf7e7d2014-1-0','0015_K014',1.79607529247065258026e+09,1.79607529377342748644e+09,'success',1,1.28820599099890387151e+00,200,'req_9f2a974b55fc31a3358e9fef',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(16,15,1,1,1,'01a22e6d-fcec-700e-84fd-dc78398ca625-1-0','0016_K015',1.79607529262226510045e+09,1.79607529642525863642e+09,'success',1,3.79859855599897855427e+00,200,'req_8a0851966c5eb9dbfb65b81f',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(17,16,1,1,1,'01a22e6d-fcec-700f-9d22-f8bce0978f33-1-0','0017_K016',1.79607529319831037521e+09,1.79607529598126935957e+09,'success',1,2.77104586499990546144e+00,200,'req_dd047d2b7324392b6052aae2',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(18,17,1,1,1,'01a22e6d-fcec-7010-a3ef-c9790b057eca-1-0','0018_K017',1.79607529319831037521e+09,1.79607529509501481052e+09,'success',1,1.88476680900021165143e+00,200,'req_c4f2c3774987c2ec075d2801',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(19,18,1,1,1,'01a22e6d-fcec-7011-8c16-d213399c3c91-1-0','0019_K018',1.7960752933315379619e+09,1.7960752951776077748e+09,'success',1,1.81364002000009350012e+00,200,'req_798a2d134dcee4e90fce4382',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
INSERT INTO "attempt" VALUES(20,19,1,1,1,'01a22e6d-fcec-7012-9bf0-46fad91fb3a6-1-0','0020_K019',1796075293.75589,1.79607529611960554122e+09,'success',1,2.34159028800058877095e+00,200,'req_c5bdc0de52b5d36efba49c78',NULL,NULL,NULL,NULL,'',NULL,0,'USD','yes','{"input_tokens":16,"output_tokens":1056,"total_tokens":1072}',0,'2026-11-30',NULL);
CREATE TABLE batch (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  sheet_path TEXT NOT NULL,
  sheet_hash TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  columns TEXT NOT NULL,
  mapping TEXT NOT NULL,
  connection_id INTEGER NOT NULL REFERENCES connection (id),
  out_dir TEXT NOT NULL,
  created_at REAL NOT NULL,
  stage INTEGER NOT NULL CHECK (stage IN (0, 1)),
  run_state INTEGER NOT NULL DEFAULT 0 CHECK (run_state IN (0, 1, 2)),
  pause_reason TEXT,
  lane_on_dead TEXT NOT NULL CHECK (lane_on_dead IN ('go', 'stop')),
  row_gate INTEGER,
  max_calls INTEGER CHECK (max_calls IS NULL OR max_calls >= 0),
  started_at REAL,
  finished_at REAL,
  run_since REAL,
  ran_s REAL NOT NULL DEFAULT 0 CHECK (ran_s >= 0),
  options TEXT NOT NULL
, budget_nano INTEGER CHECK (budget_nano IS NULL OR budget_nano >= 0), budget_currency TEXT);
INSERT INTO "batch" VALUES(1,'春季 运动鞋','/home/lin/春季 运动鞋.csv','389b927003d6c8a51ae76c152b5ef1f0da8ab67d17837c580421c39cc4e97fc9','99e3f0b00ba40f76e45f94adbb8b972e','["sku","prompt"]','{"prompt_column":"prompt","template":null,"params":{},"lane_column":null,"key_column":"sku","priority_column":null,"output_name":null,"subfolder":null}',2,'/home/lin/out',1.79607528981259059906e+09,1,2,'["engine.max_calls", {"n": 20}]','go',NULL,20,1.79607528988607072824e+09,NULL,NULL,6.54169225692749,'{}',NULL,NULL);
CREATE TABLE calls (
  batch_id INTEGER PRIMARY KEY REFERENCES batch (id) ON DELETE CASCADE,
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  throttled INTEGER NOT NULL DEFAULT 0 CHECK (throttled >= 0),
  unpriced INTEGER NOT NULL DEFAULT 0 CHECK (unpriced >= 0),
  last_at REAL
, maybe_double INTEGER NOT NULL DEFAULT 0, given_up INTEGER NOT NULL DEFAULT 0);
INSERT INTO "calls" VALUES(1,20,0,0,1.79607529642525863642e+09,0,0);
CREATE TABLE command (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  verb TEXT NOT NULL CHECK (verb IN ('pause', 'resume', 'cancel', 'requeue', 'settle', 'connection')),
  args TEXT NOT NULL,
  posted_at REAL NOT NULL,
  taken_at REAL,
  result TEXT
);
INSERT INTO "command" VALUES(1,'connection','{"id":1}',1.79607528531347513203e+09,1.79607528703454303741e+09,'{"ok":false,"error":"[\"services.not_obeyed\", {}]"}');
CREATE TABLE connection (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  adapter TEXT NOT NULL,
  base_url TEXT NOT NULL,
  model TEXT NOT NULL,
  retries INTEGER NOT NULL CHECK (retries >= 0),
  spec TEXT NOT NULL,
  removed INTEGER NOT NULL DEFAULT 0 CHECK (removed IN (0, 1))
);
INSERT INTO "connection" VALUES(1,'店铺','openai-images','http://127.0.0.1:9/v1','m',3,'{"preset":null,"limits":{"concurrency":3,"rate":null,"rate_unit":"qps","burst":null,"headroom":0.8},"price":null,"timeout_s":null,"on_unknown":null,"resend_below":null,"day_budget":null,"proxy":"system","params":{},"extra":{}}',0);
INSERT INTO "connection" VALUES(2,'Practice server','openai-images','http://127.0.0.1:38301/v1','practice',3,'{"preset":"practice","limits":{"concurrency":10,"rate":33.333333333333336,"rate_unit":"qps","burst":6,"headroom":1.0},"price":["0","image","USD"],"timeout_s":null,"on_unknown":null,"resend_below":null,"day_budget":null,"proxy":"none","params":{},"extra":{}}',0);
CREATE TABLE more_result (
  id INTEGER PRIMARY KEY,
  task_pk INTEGER NOT NULL REFERENCES task (id) ON DELETE CASCADE,
  result_id INTEGER NOT NULL REFERENCES result (id) ON DELETE CASCADE,
  place INTEGER NOT NULL CHECK (place >= 2),
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  mime TEXT NOT NULL,
  text TEXT,
  width INTEGER,
  height INTEGER,
  sha256 TEXT NOT NULL
);
CREATE TABLE next_edition (
  task_pk INTEGER PRIMARY KEY REFERENCES task (id) ON DELETE CASCADE,
  prompt TEXT NOT NULL,
  params TEXT NOT NULL,
  extra TEXT NOT NULL,
  cells TEXT NOT NULL,
  digest TEXT NOT NULL
, key TEXT, lane TEXT, priority INTEGER NOT NULL DEFAULT 0, stem TEXT, problem TEXT, again INTEGER NOT NULL DEFAULT 1 CHECK (again IN (0, 1)));
CREATE TABLE payload (
  task_pk INTEGER PRIMARY KEY REFERENCES task (id) ON DELETE CASCADE,
  prompt TEXT NOT NULL,
  params TEXT NOT NULL,
  extra TEXT NOT NULL,
  cells TEXT NOT NULL,
  digest TEXT NOT NULL
);
INSERT INTO "payload" VALUES(1,'红色运动鞋 1','{}','{}','["K001","红色运动鞋 1"]','85926c57fab1793424ec38d99df0d241');
INSERT INTO "payload" VALUES(2,'红色运动鞋 2','{}','{}','["K002","红色运动鞋 2"]','a79e21b299e4a904fc70db13531b033e');
INSERT INTO "payload" VALUES(3,'红色运动鞋 3','{}','{}','["K003","红色运动鞋 3"]','da3a130c0cbe4c8de731cab36f0fe89e');
INSERT INTO "payload" VALUES(4,'红色运动鞋 4','{}','{}','["K004","红色运动鞋 4"]','366d30258b53168e1051c7ef7149e506');
INSERT INTO "payload" VALUES(5,'红色运动鞋 5','{}','{}','["K005","红色运动鞋 5"]','7f2201e72f76c71d3081014a04679173');
INSERT INTO "payload" VALUES(6,'红色运动鞋 6','{}','{}','["K006","红色运动鞋 6"]','8f96ddf456ec6b3bddd7272a52ed493c');
INSERT INTO "payload" VALUES(7,'红色运动鞋 7','{}','{}','["K007","红色运动鞋 7"]','c9eba35c915d963792e5222037a9ce11');
INSERT INTO "payload" VALUES(8,'红色运动鞋 8','{}','{}','["K008","红色运动鞋 8"]','646d575d19b367b2b536d12426f9e2f2');
INSERT INTO "payload" VALUES(9,'红色运动鞋 9','{}','{}','["K009","红色运动鞋 9"]','abb496cbe00f5ec50360bbb60479d40b');
INSERT INTO "payload" VALUES(10,'红色运动鞋 10','{}','{}','["K010","红色运动鞋 10"]','e1a1fe98d0740d1b51d3250d4dcd312f');
INSERT INTO "payload" VALUES(11,'红色运动鞋 11','{}','{}','["K011","红色运动鞋 11"]','7a30875a2151cd7ee27cee2a088e6300');
INSERT INTO "payload" VALUES(12,'红色运动鞋 12','{}','{}','["K012","红色运动鞋 12"]','11187933b49d8ed060dced6cb2181a04');
INSERT INTO "payload" VALUES(13,'红色运动鞋 13','{}','{}','["K013","红色运动鞋 13"]','ad6f71a38cbc117800e4063b6c2e6e14');
INSERT INTO "payload" VALUES(14,'红色运动鞋 14','{}','{}','["K014","红色运动鞋 14"]','397423956033642f067a63993f7c5d81');
INSERT INTO "payload" VALUES(15,'红色运动鞋 15','{}','{}','["K015","红色运动鞋 15"]','176f900bd4dd92164b246f417dee94b2');
INSERT INTO "payload" VALUES(16,'红色运动鞋 16','{}','{}','["K016","红色运动鞋 16"]','7e6d1bff321310c3a4d5bff95a28521f');
INSERT INTO "payload" VALUES(17,'红色运动鞋 17','{}','{}','["K017","红色运动鞋 17"]','8002e447405828b7937aa2b46a3f2177');
INSERT INTO "payload" VALUES(18,'红色运动鞋 18','{}','{}','["K018","红色运动鞋 18"]','d00f1e00d0010bce26f5106b5080cf41');
INSERT INTO "payload" VALUES(19,'红色运动鞋 19','{}','{}','["K019","红色运动鞋 19"]','ffdb16da67f158382b7876a6c2f44ac0');
INSERT INTO "payload" VALUES(20,'红色运动鞋 20','{}','{}','["K020","红色运动鞋 20"]','8e42a2f4809909a5d556cf63d2a44574');
INSERT INTO "payload" VALUES(21,'红色运动鞋 21','{}','{}','["K021","红色运动鞋 21"]','304939d225e70d694985398a6c751a08');
INSERT INTO "payload" VALUES(22,'红色运动鞋 22','{}','{}','["K022","红色运动鞋 22"]','21e344f230a21d30cbd0a981235a7ad0');
INSERT INTO "payload" VALUES(23,'红色运动鞋 23','{}','{}','["K023","红色运动鞋 23"]','a659c020cf0211504f1ce3f12c0dba2a');
INSERT INTO "payload" VALUES(24,'红色运动鞋 24','{}','{}','["K024","红色运动鞋 24"]','1463631d751ff5bc28c8ad0d07d92584');
CREATE TABLE purse (
  batch_id INTEGER NOT NULL REFERENCES batch (id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  currency TEXT NOT NULL,
  connection_id INTEGER NOT NULL,
  held_nano INTEGER NOT NULL DEFAULT 0,
  open_nano INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (batch_id, day, currency)
) WITHOUT ROWID;
INSERT INTO "purse" VALUES(1,'2026-11-30','USD',2,0,0);
CREATE TABLE result (
  id INTEGER PRIMARY KEY,
  task_pk INTEGER NOT NULL REFERENCES task (id) ON DELETE CASCADE,
  attempt_id INTEGER UNIQUE,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  mime TEXT NOT NULL,
  text TEXT,
  width INTEGER,
  height INTEGER,
  flags TEXT NOT NULL,
  sha256 TEXT NOT NULL
);
INSERT INTO "result" VALUES(1,5,5,'0006_K005.png',47672,'image/png',NULL,1024,1024,'[]','97226a68166d3a45bf151690ee408cb1ca663c8a89128ce79f547a5d1cacc413');
INSERT INTO "result" VALUES(2,7,7,'0008_K007.png',56560,'image/png',NULL,1024,1024,'[]','83f17fa086f2e62bf93c9bb1e67913addf71283c4046d2dc20e7ef793b0e4d04');
INSERT INTO "result" VALUES(3,6,6,'0007_K006.png',48271,'image/png',NULL,1024,1024,'[]','8f9d1cff881a4214b4cb2cabdd260991edef19fba187f0f82ab2a5ae45f6781b');
INSERT INTO "result" VALUES(4,4,4,'0005_K004.png',47672,'image/png',NULL,1024,1024,'[]','3294cdd0f2e4969652cc941ab2b872603973f314b740b44232f30f7150122e7f');
INSERT INTO "result" VALUES(5,9,9,'0010_K009.png',57607,'image/png',NULL,1024,1024,'[]','fae87621d9cb211df20ba4f0539e24daf50f5217d15b2bbd83315b49beb9dec3');
INSERT INTO "result" VALUES(6,3,3,'0004_K003.png',48104,'image/png',NULL,1024,1024,'[]','e8af5d13c00fda3800eda83eca546d778059321c7bddc71afa7f75b5421a14c6');
INSERT INTO "result" VALUES(7,2,12,'0003_K002.png',47892,'image/png',NULL,1024,1024,'[]','dcb7f316962861f4031517338ffa6ab6f4e487d1935fcd0b446ec835a95cc74b');
INSERT INTO "result" VALUES(8,10,10,'0011_K010.png',57053,'image/png',NULL,1024,1024,'[]','673977e780699c876bc1306ecc87f3c543893798c5da865c0c45851268cc40d4');
INSERT INTO "result" VALUES(9,14,15,'0015_K014.png',48073,'image/png',NULL,1024,1024,'[]','6de9496191dfd1e191f75ba7c01bd086e9f8e7b647989c068cf8ae1a26cb5ba3');
INSERT INTO "result" VALUES(10,11,11,'0012_K011.png',56096,'image/png',NULL,1024,1024,'[]','b331cb42c484916367013efbb38ab3bd3bee660e96e208352e37528c452b6b13');
INSERT INTO "result" VALUES(11,13,14,'0014_K013.png',56920,'image/png',NULL,1024,1024,'[]','949050be42f9c8498ba948c46c7ae4bb061b061336e76a41ef9fbe682692c1b2');
INSERT INTO "result" VALUES(12,12,13,'0013_K012.png',47757,'image/png',NULL,1024,1024,'[]','dee1201ff018d89eddc45dad1ff030e513a9b431945e5f2098c5bd303deea403');
INSERT INTO "result" VALUES(13,1,1,'0002_K001.png',47019,'image/png',NULL,1024,1024,'[]','78a3b3a81bf9eb1ab99874f6742b2ecacfaab8f9599b6ca7da2460a386455f2e');
INSERT INTO "result" VALUES(14,8,8,'0009_K008.png',48085,'image/png',NULL,1024,1024,'[]','c1d2c60e955886110c381dc89505e7b4714dba3c8fbabb2bd97743ed947b6d08');
INSERT INTO "result" VALUES(15,17,18,'0018_K017.png',47320,'image/png',NULL,1024,1024,'[]','a2a13a9bfdc57cf79a79b1a10f8be8c6e7476de5811796d16d47fca9d1474c74');
INSERT INTO "result" VALUES(16,18,19,'0019_K018.png',48150,'image/png',NULL,1024,1024,'[]','a60762786ec919e5f8394384147f7e08107d61344bd050bc2692d713e86f5ffc');
INSERT INTO "result" VALUES(17,16,17,'0017_K016.png',47921,'image/png',NULL,1024,1024,'[]','4018020ee3c36be9c1103bd929296c38bf92bafdfa9bcf2ab279110b68b04467');
INSERT INTO "result" VALUES(18,19,20,'0020_K019.png',48008,'image/png',NULL,1024,1024,'[]','69b5639bd0e5909d23224f215e454637e4151ee89bdb48a355daa949ed57f2b2');
INSERT INTO "result" VALUES(19,15,16,'0016_K015.png',48377,'image/png',NULL,1024,1024,'[]','68be032768a9bcaaf2e555885b6733298f613ff6574cb4ecf9a4181237ae8e37');
CREATE TABLE spent (
  batch_id INTEGER NOT NULL REFERENCES batch (id) ON DELETE CASCADE,
  currency TEXT NOT NULL,
  nano INTEGER NOT NULL,
  PRIMARY KEY (batch_id, currency)
) WITHOUT ROWID;
INSERT INTO "spent" VALUES(1,'USD',0);
CREATE TABLE tally (
  batch_id INTEGER NOT NULL REFERENCES batch (id) ON DELETE CASCADE,
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 7),
  n INTEGER NOT NULL DEFAULT 0 CHECK (n >= 0),
  PRIMARY KEY (batch_id, state)
) WITHOUT ROWID;
INSERT INTO "tally" VALUES(1,0,5);
INSERT INTO "tally" VALUES(1,1,0);
INSERT INTO "tally" VALUES(1,2,0);
INSERT INTO "tally" VALUES(1,3,19);
INSERT INTO "tally" VALUES(1,4,0);
INSERT INTO "tally" VALUES(1,5,0);
INSERT INTO "tally" VALUES(1,6,0);
INSERT INTO "tally" VALUES(1,7,0);
CREATE TABLE task (
  id INTEGER PRIMARY KEY,
  batch_id INTEGER NOT NULL REFERENCES batch (id) ON DELETE CASCADE,
  row_no INTEGER NOT NULL,
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 7),
  rev INTEGER NOT NULL DEFAULT 0 CHECK (rev >= 0),
  priority INTEGER NOT NULL DEFAULT 0,
  lane TEXT,
  blocked INTEGER NOT NULL DEFAULT 0 CHECK (blocked IN (0, 1)),
  ready INTEGER NOT NULL DEFAULT 1 CHECK (ready IN (0, 1)),
  due_at REAL,
  delay_s REAL,
  cancel_requested INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
  attempt_no INTEGER NOT NULL DEFAULT 0 CHECK (attempt_no >= 0),
  attempt_id INTEGER,
  result_id INTEGER,
  edition INTEGER NOT NULL DEFAULT 1 CHECK (edition >= 1),
  key_seq INTEGER NOT NULL DEFAULT 0 CHECK (key_seq >= 0),
  retries_spent INTEGER NOT NULL DEFAULT 0 CHECK (retries_spent >= 0),
  timeouts INTEGER NOT NULL DEFAULT 0 CHECK (timeouts >= 0),
  throttled INTEGER NOT NULL DEFAULT 0 CHECK (throttled >= 0),
  error_class TEXT,
  error_code TEXT,
  note TEXT,
  task_id TEXT NOT NULL UNIQUE,
  key TEXT,
  stem TEXT NOT NULL,
  stem_fold TEXT NOT NULL,
  updated_at REAL NOT NULL,
  CHECK (state <> 1 OR attempt_id IS NOT NULL),
  CHECK (state <> 2 OR due_at IS NOT NULL),
  CHECK (state <> 3 OR result_id IS NOT NULL),
  CHECK (state NOT IN (4, 5, 6) OR error_class IS NOT NULL),
  CHECK (ready = 1 OR due_at IS NOT NULL),
  CHECK (blocked = 0 OR lane IS NOT NULL),
  CHECK (cancel_requested = 0 OR state = 1)
);
INSERT INTO "task" VALUES(1,1,2,3,2,0,NULL,0,1,NULL,NULL,0,1,1,13,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7000-8558-cf57c187a0bb','K001','0002_K001','0002_k001',1.79607529426517295838e+09);
INSERT INTO "task" VALUES(2,1,3,3,4,0,NULL,0,1,NULL,NULL,0,2,12,7,1,1,1,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7001-a6b1-bb5c12985bdb','K002','0003_K002','0003_k002',1.7960752932183916569e+09);
INSERT INTO "task" VALUES(3,1,4,3,2,0,NULL,0,1,NULL,NULL,0,1,3,6,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7002-8d16-934cadeb693a','K003','0004_K003','0004_k003',1.79607529320917487145e+09);
INSERT INTO "task" VALUES(4,1,5,3,2,0,NULL,0,1,NULL,NULL,0,1,4,4,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7003-8def-d23786ee5d30','K004','0005_K004','0005_k004',1.7960752924935760498e+09);
INSERT INTO "task" VALUES(5,1,6,3,2,0,NULL,0,1,NULL,NULL,0,1,5,1,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7004-bfff-d14a9f38bb83','K005','0006_K005','0006_k005',1.79607529161371326444e+09);
INSERT INTO "task" VALUES(6,1,7,3,2,0,NULL,0,1,NULL,NULL,0,1,6,3,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7005-be50-366642c3a043','K006','0007_K006','0007_k006',1.79607529245613074296e+09);
INSERT INTO "task" VALUES(7,1,8,3,2,0,NULL,0,1,NULL,NULL,0,1,7,2,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7006-bcc0-aab3d48d0dd2','K007','0008_K007','0008_k007',1.79607529224137568474e+09);
INSERT INTO "task" VALUES(8,1,9,3,2,0,NULL,0,1,NULL,NULL,0,1,8,14,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7007-9adf-447b7cc6ea5b','K008','0009_K008','0009_k008',1.79607529452585577963e+09);
INSERT INTO "task" VALUES(9,1,10,3,2,0,NULL,0,1,NULL,NULL,0,1,9,5,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7008-83cc-6d78c02c04ef','K009','0010_K009','0010_k009',1.79607529263802051544e+09);
INSERT INTO "task" VALUES(10,1,11,3,2,0,NULL,0,1,NULL,NULL,0,1,10,8,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7009-9c66-63134753e290','K010','0011_K010','0011_k010',1.79607529347134137155e+09);
INSERT INTO "task" VALUES(11,1,12,3,2,0,NULL,0,1,NULL,NULL,0,1,11,10,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-700a-a3db-7560e7c31f83','K011','0012_K011','0012_k011',1.7960752938253803253e+09);
INSERT INTO "task" VALUES(12,1,13,3,2,0,NULL,0,1,NULL,NULL,0,1,13,12,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-700b-b274-ac02baac83e9','K012','0013_K012','0013_k012',1.79607529425003170967e+09);
INSERT INTO "task" VALUES(13,1,14,3,2,0,NULL,0,1,NULL,NULL,0,1,14,11,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-700c-8422-3bc734dc2df9','K013','0014_K013','0014_k013',1.79607529410534381866e+09);
INSERT INTO "task" VALUES(14,1,15,3,2,0,NULL,0,1,NULL,NULL,0,1,15,9,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-700d-baf8-93bf7e7d2014','K014','0015_K014','0015_k014',1.79607529377342748644e+09);
INSERT INTO "task" VALUES(15,1,16,3,2,0,NULL,0,1,NULL,NULL,0,1,16,19,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-700e-84fd-dc78398ca625','K015','0016_K015','0016_k015',1.79607529642525863642e+09);
INSERT INTO "task" VALUES(16,1,17,3,2,0,NULL,0,1,NULL,NULL,0,1,17,17,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-700f-9d22-f8bce0978f33','K016','0017_K016','0017_k016',1.79607529598126935957e+09);
INSERT INTO "task" VALUES(17,1,18,3,2,0,NULL,0,1,NULL,NULL,0,1,18,15,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7010-a3ef-c9790b057eca','K017','0018_K017','0018_k017',1.79607529509501481052e+09);
INSERT INTO "task" VALUES(18,1,19,3,2,0,NULL,0,1,NULL,NULL,0,1,19,16,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7011-8c16-d213399c3c91','K018','0019_K018','0019_k018',1.7960752951776077748e+09);
INSERT INTO "task" VALUES(19,1,20,3,2,0,NULL,0,1,NULL,NULL,0,1,20,18,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7012-9bf0-46fad91fb3a6','K019','0020_K019','0020_k019',1.79607529611960554122e+09);
INSERT INTO "task" VALUES(20,1,21,0,0,0,NULL,0,1,NULL,NULL,0,0,NULL,NULL,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7013-8026-8837fffaa80c','K020','0021_K020','0021_k020',1.79607528983677029611e+09);
INSERT INTO "task" VALUES(21,1,22,0,0,0,NULL,0,1,NULL,NULL,0,0,NULL,NULL,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7014-8643-98c969b29454','K021','0022_K021','0022_k021',1.79607528983677029611e+09);
INSERT INTO "task" VALUES(22,1,23,0,0,0,NULL,0,1,NULL,NULL,0,0,NULL,NULL,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7015-996a-dd4a41187597','K022','0023_K022','0023_k022',1.79607528983677029611e+09);
INSERT INTO "task" VALUES(23,1,24,0,0,0,NULL,0,1,NULL,NULL,0,0,NULL,NULL,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7016-956c-b2ebfe5b7dbe','K023','0024_K023','0024_k023',1.79607528983677029611e+09);
INSERT INTO "task" VALUES(24,1,25,0,0,0,NULL,0,1,NULL,NULL,0,0,NULL,NULL,1,0,0,0,0,NULL,NULL,NULL,'01a22e6d-fcec-7017-8eb1-e41845e09b07','K024','0025_K024','0025_k024',1.79607528983677029611e+09);
CREATE UNIQUE INDEX connection_name ON connection (name COLLATE NOCASE) WHERE removed = 0;
CREATE INDEX batch_sheet ON batch (sheet_hash);
CREATE INDEX batch_fingerprint ON batch (fingerprint);
CREATE UNIQUE INDEX task_row ON task (batch_id, row_no);
CREATE UNIQUE INDEX task_stem ON task (batch_id, stem_fold);
CREATE INDEX task_state ON task (batch_id, state, row_no);
CREATE INDEX task_ready ON task (batch_id, priority DESC, row_no)
  WHERE ready = 1 AND blocked = 0 AND state IN (0, 2);
CREATE INDEX task_due ON task (batch_id, due_at) WHERE ready = 0 AND state IN (0, 2);
CREATE INDEX task_running ON task (batch_id, lane) WHERE state = 1;
CREATE INDEX task_cause ON task (batch_id, state, error_code, error_class)
  WHERE state IN (4, 5, 6);
CREATE INDEX task_lane ON task (batch_id, lane, row_no) WHERE lane IS NOT NULL AND state < 3;
CREATE INDEX task_lane_head ON task (batch_id, lane)
  WHERE lane IS NOT NULL AND blocked = 0 AND state < 3;
CREATE INDEX task_lane_dead ON task (batch_id, lane, row_no)
  WHERE lane IS NOT NULL AND state IN (4, 5, 6);
CREATE UNIQUE INDEX attempt_task ON attempt (task_pk, attempt_no);
CREATE INDEX result_task ON result (task_pk);
CREATE INDEX command_waiting ON command (id) WHERE taken_at IS NULL;
CREATE TRIGGER task_moved AFTER UPDATE OF state ON task WHEN OLD.state <> NEW.state BEGIN
  UPDATE tally SET n = n - 1 WHERE batch_id = OLD.batch_id AND state = OLD.state;
  UPDATE tally SET n = n + 1 WHERE batch_id = NEW.batch_id AND state = NEW.state;
  UPDATE batch SET
      finished_at = NEW.updated_at,
      ran_s = ran_s + max(0, NEW.updated_at - coalesce(run_since, NEW.updated_at)),
      run_since = NULL
    WHERE id = NEW.batch_id AND NEW.state >= 3 AND finished_at IS NULL AND stage = 1
      AND NOT EXISTS (
        SELECT 1 FROM tally WHERE batch_id = NEW.batch_id AND state < 3 AND n > 0);
  UPDATE batch SET
      finished_at = NULL,
      run_since = CASE WHEN run_state = 1 THEN NEW.updated_at END
    WHERE id = NEW.batch_id AND NEW.state < 3 AND finished_at IS NOT NULL;
END;
CREATE TRIGGER task_lane_moved AFTER UPDATE OF state ON task
WHEN NEW.lane IS NOT NULL AND OLD.state <> NEW.state AND NOT (OLD.state < 3 AND NEW.state < 3)
BEGIN
  UPDATE task SET blocked = 1
    WHERE id IN (SELECT l.id FROM task l INDEXED BY task_lane_head
                 WHERE l.batch_id = NEW.batch_id AND l.lane = NEW.lane AND l.lane IS NOT NULL
                   AND l.blocked = 0 AND l.state < 3);
  UPDATE task SET blocked = 0
    WHERE id = (SELECT h.id FROM task h INDEXED BY task_lane
                WHERE h.batch_id = NEW.batch_id AND h.lane = NEW.lane AND h.lane IS NOT NULL
                  AND h.state < 3
                ORDER BY h.row_no LIMIT 1)
      AND ((SELECT lane_on_dead FROM batch WHERE id = NEW.batch_id) = 'go'
           OR NOT EXISTS (SELECT 1 FROM task d INDEXED BY task_lane_dead
                          WHERE d.lane IS NOT NULL AND d.batch_id = NEW.batch_id AND d.lane = NEW.lane
                            AND d.state IN (4, 5, 6) AND d.row_no < task.row_no));
END;
CREATE TRIGGER attempt_opened AFTER INSERT ON attempt BEGIN
  UPDATE calls SET
      attempts = attempts + NEW.sent,
      last_at = max(coalesce(last_at, 0), NEW.started_at)
    WHERE batch_id = NEW.batch_id;
END;
CREATE TRIGGER attempt_closed AFTER UPDATE OF outcome, sent, billed, cost_nano ON attempt BEGIN
  UPDATE calls SET
      attempts = attempts + NEW.sent - OLD.sent,
      throttled = throttled + (NEW.outcome = 'throttled') - (OLD.outcome = 'throttled'),
      unpriced = unpriced + (NEW.billed = 'yes' AND NEW.cost_nano IS NULL)
                          - (OLD.billed = 'yes' AND OLD.cost_nano IS NULL),
      last_at = max(coalesce(last_at, 0), coalesce(NEW.ended_at, 0))
    WHERE batch_id = NEW.batch_id;
END;
CREATE TRIGGER attempt_unspent AFTER UPDATE OF billed, cost_nano ON attempt
WHEN OLD.cost_nano IS NOT NULL AND OLD.billed <> 'no'
BEGIN
  UPDATE spent SET nano = nano - OLD.cost_nano
    WHERE batch_id = OLD.batch_id AND currency = OLD.currency;
END;
CREATE TRIGGER attempt_spent AFTER UPDATE OF billed, cost_nano ON attempt
WHEN NEW.cost_nano IS NOT NULL AND NEW.billed <> 'no'
BEGIN
  INSERT INTO spent (batch_id, currency, nano) VALUES (NEW.batch_id, NEW.currency, NEW.cost_nano)
    ON CONFLICT (batch_id, currency) DO UPDATE SET nano = nano + NEW.cost_nano;
END;
CREATE INDEX purse_day ON purse (connection_id, day, currency);
CREATE TRIGGER attempt_reserved AFTER INSERT ON attempt WHEN NEW.currency IS NOT NULL BEGIN
  INSERT INTO purse (batch_id, day, currency, connection_id, held_nano, open_nano)
    SELECT NEW.batch_id, NEW.day, NEW.currency, b.connection_id,
           CASE NEW.billed WHEN 'no' THEN 0
             ELSE coalesce(NEW.cost_nano, NEW.reserved_nano, 0) END,
           CASE NEW.outcome WHEN 'open' THEN coalesce(NEW.reserved_nano, 0) ELSE 0 END
    FROM batch b WHERE b.id = NEW.batch_id
    ON CONFLICT (batch_id, day, currency) DO UPDATE SET
      held_nano = held_nano + excluded.held_nano, open_nano = open_nano + excluded.open_nano;
END;
CREATE TRIGGER attempt_released AFTER UPDATE OF outcome, billed, cost_nano, currency ON attempt
WHEN OLD.currency IS NOT NULL BEGIN
  UPDATE purse SET
      held_nano = held_nano - CASE OLD.billed WHEN 'no' THEN 0
        ELSE coalesce(OLD.cost_nano, OLD.reserved_nano, 0) END,
      open_nano = open_nano
        - CASE OLD.outcome WHEN 'open' THEN coalesce(OLD.reserved_nano, 0) ELSE 0 END
    WHERE batch_id = OLD.batch_id AND day = OLD.day AND currency = OLD.currency;
END;
CREATE TRIGGER attempt_held AFTER UPDATE OF outcome, billed, cost_nano, currency ON attempt
WHEN NEW.currency IS NOT NULL BEGIN
  INSERT INTO purse (batch_id, day, currency, connection_id, held_nano, open_nano)
    SELECT NEW.batch_id, NEW.day, NEW.currency, b.connection_id,
           CASE NEW.billed WHEN 'no' THEN 0
             ELSE coalesce(NEW.cost_nano, NEW.reserved_nano, 0) END,
           CASE NEW.outcome WHEN 'open' THEN coalesce(NEW.reserved_nano, 0) ELSE 0 END
    FROM batch b WHERE b.id = NEW.batch_id
    ON CONFLICT (batch_id, day, currency) DO UPDATE SET
      held_nano = held_nano + excluded.held_nano, open_nano = open_nano + excluded.open_nano;
END;
CREATE TRIGGER attempt_doubted AFTER UPDATE OF outcome, billed, sent ON attempt
WHEN (OLD.sent = 1 AND OLD.outcome <> 'open' AND OLD.billed <> 'no')
  <> (NEW.sent = 1 AND NEW.outcome <> 'open' AND NEW.billed <> 'no')
BEGIN
  UPDATE calls SET maybe_double = maybe_double
      + CASE WHEN NEW.sent = 1 AND NEW.outcome <> 'open' AND NEW.billed <> 'no'
          THEN 1 ELSE -1 END
    WHERE batch_id = NEW.batch_id AND EXISTS (
      SELECT 1 FROM attempt o WHERE o.task_pk = NEW.task_pk AND o.edition = NEW.edition
        AND o.id <> NEW.id AND o.sent = 1 AND o.outcome <> 'open' AND o.billed <> 'no');
END;
CREATE TRIGGER task_given_up AFTER UPDATE OF edition ON task WHEN NEW.edition > OLD.edition BEGIN
  UPDATE calls SET given_up = given_up + 1
    WHERE batch_id = NEW.batch_id
      AND EXISTS (SELECT 1 FROM attempt a WHERE a.task_pk = NEW.id AND a.edition = OLD.edition
                  AND a.sent = 1 AND a.outcome = 'unknown' AND a.billed = 'maybe')
      AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.task_pk = NEW.id AND a.edition = OLD.edition
                      AND a.sent = 1 AND a.billed = 'yes');
END;
CREATE TRIGGER attempt_cleared AFTER UPDATE OF outcome, billed ON attempt
WHEN OLD.outcome = 'unknown' AND OLD.billed = 'maybe'
  AND NOT (NEW.outcome = 'unknown' AND NEW.billed = 'maybe')
  AND NEW.edition < (SELECT edition FROM task WHERE id = NEW.task_pk)
BEGIN
  UPDATE calls SET given_up = given_up - 1
    WHERE batch_id = NEW.batch_id
      AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.task_pk = NEW.task_pk
                      AND a.edition = NEW.edition AND a.id <> NEW.id AND a.sent = 1
                      AND a.billed = 'yes')
      AND (NEW.billed = 'yes'
           OR NOT EXISTS (SELECT 1 FROM attempt a WHERE a.task_pk = NEW.task_pk
                          AND a.edition = NEW.edition AND a.id <> NEW.id AND a.sent = 1
                          AND a.outcome = 'unknown' AND a.billed = 'maybe'));
END;
CREATE UNIQUE INDEX more_result_place ON more_result (result_id, place);
CREATE INDEX more_result_task ON more_result (task_pk);
CREATE INDEX result_in_part ON result (task_pk) WHERE instr(flags, '"partial"') > 0;
CREATE TRIGGER task_legal BEFORE UPDATE OF state ON task WHEN NOT ((OLD.state = 0 AND NEW.state IN (1, 3, 7)) OR (OLD.state = 1 AND NEW.state IN (0, 1, 2, 3, 4, 5, 6, 7)) OR (OLD.state = 2 AND NEW.state IN (1, 3, 7)) OR (OLD.state = 4 AND NEW.state IN (0)) OR (OLD.state = 5 AND NEW.state IN (0, 3)) OR (OLD.state = 6 AND NEW.state IN (0, 1, 3, 4)) OR (OLD.state = 7 AND NEW.state IN (0)) OR (OLD.state = 3 AND NEW.state = 0 AND NEW.edition > OLD.edition)) BEGIN SELECT RAISE(ABORT, 'illegal move'); END;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('connection',2);
INSERT INTO "sqlite_sequence" VALUES('command',1);
INSERT INTO "sqlite_sequence" VALUES('batch',1);
COMMIT;
PRAGMA user_version = 9;

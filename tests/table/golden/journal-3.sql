PRAGMA application_id = 1413828913;
PRAGMA user_version = 3;
BEGIN TRANSACTION;
CREATE TABLE commands (
    sequence INTEGER PRIMARY KEY, shoe INTEGER NOT NULL, coup INTEGER NOT NULL,
    player TEXT NOT NULL, id TEXT NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL,
    body TEXT NOT NULL, first_event INTEGER NOT NULL, events TEXT NOT NULL, hash BLOB NOT NULL
) STRICT;
INSERT INTO "commands" VALUES(1,1,0,'','c1','2024-05-14T21:01','open-shoe','{"kind":"open-shoe","id":"c1","at":"2024-05-14T21:01","cards":["10♠","J♠","Q♠","A♠","K♠","10♥","J♥","A♥","Q♥","K♥","10♦","3♦","J♦","Q♦","K♦","10♣","10♣","J♣","Q♣","8♠","K♣","10♠","J♠","2♥","Q♠","K♠","10♥","A♦","J♥","Q♥","K♥","A♣","A♠","A♠","A♠","A♠","A♠","2♠","2♠","2♠","2♠","2♠","2♠","3♠","3♠","3♠","3♠","3♠","3♠","4♠","4♠","4♠","4♠","4♠","4♠","5♠","5♠","5♠","5♠","5♠","5♠","6♠","6♠","6♠","6♠","6♠","6♠","7♠","7♠","7♠","7♠","7♠","7♠","8♠","8♠","8♠","8♠","8♠","9♠","9♠","9♠","9♠","9♠","9♠","10♠","10♠","10♠","10♠","J♠","J♠","J♠","J♠","Q♠","Q♠","Q♠","Q♠","K♠","K♠","K♠","K♠","A♥","A♥","A♥","A♥","A♥","2♥","2♥","2♥","2♥","2♥","3♥","3♥","3♥","3♥","3♥","3♥","4♥","4♥","4♥","4♥","4♥","4♥","5♥","5♥","5♥","5♥","5♥","5♥","6♥","6♥","6♥","6♥","6♥","6♥","7♥","7♥","7♥","7♥","7♥","7♥","8♥","8♥","8♥","8♥","8♥","8♥","9♥","9♥","9♥","9♥","9♥","9♥","10♥","10♥","10♥","10♥","J♥","J♥","J♥","J♥","Q♥","Q♥","Q♥","Q♥","K♥","K♥","K♥","K♥","A♦","A♦","A♦","A♦","A♦","2♦","2♦","2♦","2♦","2♦","2♦","3♦","3♦","3♦","3♦","3♦","4♦","4♦","4♦","4♦","4♦","4♦","5♦","5♦","5♦","5♦","5♦","5♦","6♦","6♦","6♦","6♦","6♦","6♦","7♦","7♦","7♦","7♦","7♦","7♦","8♦","8♦","8♦","8♦","8♦","8♦","9♦","9♦","9♦","9♦","9♦","9♦","10♦","10♦","10♦","10♦","10♦","J♦","J♦","J♦","J♦","J♦","Q♦","Q♦","Q♦","Q♦","Q♦","K♦","K♦","K♦","K♦","K♦","A♣","A♣","A♣","A♣","A♣","2♣","2♣","2♣","2♣","2♣","2♣","3♣","3♣","3♣","3♣","3♣","3♣","4♣","4♣","4♣","4♣","4♣","4♣","5♣","5♣","5♣","5♣","5♣","5♣","6♣","6♣","6♣","6♣","6♣","6♣","7♣","7♣","7♣","7♣","7♣","7♣","8♣","8♣","8♣","8♣","8♣","8♣","9♣","9♣","9♣","9♣","9♣","9♣","10♣","10♣","10♣","10♣","J♣","J♣","J♣","J♣","J♣","Q♣","Q♣","Q♣","Q♣","Q♣","K♣","K♣","K♣","K♣","K♣"],"source":"test","schema":4}',0,'[{"kind":"shoe-opened","shoe":1,"packs":6,"live":false,"source":"test"},{"kind":"announced","phrase":"cut","values":{}}]',X'DD143B1CE09B01B37D3646511E86B78E505CF290D23387C0D9645A8CCFB4A7E6');
INSERT INTO "commands" VALUES(2,1,0,'','c2','2024-05-14T21:02','cut','{"kind":"cut","id":"c2","at":"2024-05-14T21:02","place":0,"schema":4}',2,'[{"kind":"cut-made","place":0,"by":"player","card":null,"first_row":""}]',X'C87D13DA786352CFADCA9E486C289D14FE7A39C9990ADCB80F03998DE4A2A60C');
INSERT INTO "commands" VALUES(3,1,0,'','c3','2024-05-14T21:03','place-marker','{"kind":"place-marker","id":"c3","at":"2024-05-14T21:03","schema":4}',3,'[{"kind":"marker-placed","from_end":5,"by":"croupier"}]',X'0C70DC26CF4504590E1C4B202B528AC84A74884BE7769543A358821732ED6D4B');
INSERT INTO "commands" VALUES(4,1,1,'','c4','2024-05-14T21:04','open-bets','{"kind":"open-bets","id":"c4","at":"2024-05-14T21:04","schema":4}',4,'[{"kind":"bets-opened","coup":1},{"kind":"announced","phrase":"faites_vos_jeux","values":{}}]',X'13155B647A088BF485818FE7C3FA81813497846DA910F5A24DD144F8C9A15CA9');
INSERT INTO "commands" VALUES(5,1,1,'ann','c5','2024-05-14T21:05','place','{"kind":"place","id":"c5","at":"2024-05-14T21:05","stake":"ann-1","player":"ann","chance":"rouge","amount":100,"schema":4}',6,'[{"kind":"stake-placed","stake":{"id":"ann-1","owner":"ann","chance":"rouge","amount":100,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":"","position":null,"covered":false},"premium":0}]',X'49A04AEF3AEBFEB0A2BFD16C6815C00CFB123F052E5A4AFF219DEB3736305568');
INSERT INTO "commands" VALUES(6,1,1,'zoë','c6','2024-05-14T21:06','place','{"kind":"place","id":"c6","at":"2024-05-14T21:06","stake":"zoë-1","player":"zoë","chance":"noir","amount":55,"schema":4}',7,'[{"kind":"stake-placed","stake":{"id":"zoë-1","owner":"zoë","chance":"noir","amount":55,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":"","position":null,"covered":false},"premium":0}]',X'251E8E0832FE66053765E2C4C567BF383C1179EE5CDBC49DF2B579B8D12BEB11');
INSERT INTO "commands" VALUES(7,1,1,'bob','c7','2024-05-14T21:07','place','{"kind":"place","id":"c7","at":"2024-05-14T21:07","stake":"bob-1","player":"bob","chance":"couleur","amount":200,"insured":true,"schema":4}',8,'[{"kind":"stake-placed","stake":{"id":"bob-1","owner":"bob","chance":"couleur","amount":200,"state":"free","share":"1","insured":true,"proof":true,"handed_back":0,"group":"","position":null,"covered":false},"premium":2}]',X'768170D3FB2F1D99D111A52BFEABF28577A24E09B8EB34380CB3E8696B0E32ED');
INSERT INTO "commands" VALUES(8,1,1,'','c8','2024-05-14T21:08','increase','{"kind":"increase","id":"c8","at":"2024-05-14T21:08","stake":"ann-1","amount":50,"schema":4}',9,'[{"kind":"stake-increased","stake":{"id":"ann-1","owner":"ann","chance":"rouge","amount":150,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":"","position":null,"covered":false},"added":50,"premium":0}]',X'E08524FE112040856AB12B377EF13271A65E27C83687DB2527ED1B77C7549776');
INSERT INTO "commands" VALUES(9,1,1,'','c9','2024-05-14T21:09','close-bets','{"kind":"close-bets","id":"c9","at":"2024-05-14T21:09","schema":4}',10,'[{"kind":"bets-closed","coup":1},{"kind":"announced","phrase":"les_jeux_sont_faits","values":{}},{"kind":"announced","phrase":"rien_ne_va_plus","values":{}}]',X'4DE9E43F4EFD4C6FDE8FFD3AFD2DDF3038E71B9230D9FCC8A8735225BF33D5D5');
INSERT INTO "commands" VALUES(10,1,1,'','c10','2024-05-14T21:10','deal','{"kind":"deal","id":"c10","at":"2024-05-14T21:10","schema":4}',13,'[{"kind":"card-turned","card":"10♠","row":"first","total":10,"place":1},{"kind":"card-turned","card":"J♠","row":"first","total":20,"place":2},{"kind":"card-turned","card":"Q♠","row":"first","total":30,"place":3},{"kind":"card-turned","card":"A♠","row":"first","total":31,"place":4},{"kind":"announced","phrase":"point","values":{"point":1,"full":31}},{"kind":"card-turned","card":"K♠","row":"second","total":10,"place":5},{"kind":"card-turned","card":"10♥","row":"second","total":20,"place":6},{"kind":"card-turned","card":"J♥","row":"second","total":30,"place":7},{"kind":"card-turned","card":"A♥","row":"second","total":31,"place":8},{"kind":"coup-dealt","number":1,"coup":"10♠ J♠ Q♠ A♠ / K♠ 10♥ J♥ A♥","verdicts":[["rouge","refait"],["noir","refait"],["couleur","refait"],["inverse","refait"]]},{"kind":"announced","phrase":"refait_point","values":{"point":1,"full":31}},{"kind":"choice-offered","stake":{"id":"ann-1","owner":"ann","chance":"rouge","amount":150,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":"","position":null,"covered":false},"verdict":"refait","courses":["prison","partage"]},{"kind":"choice-offered","stake":{"id":"zoë-1","owner":"zoë","chance":"noir","amount":55,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":"","position":null,"covered":false},"verdict":"refait","courses":["prison","partage"]}]',X'6D985B0F1E16C269FC799613FDA0654A4670BF0514B70948A6C4A8DB2EC9EE9E');
INSERT INTO "commands" VALUES(11,1,1,'','c11','2024-05-14T21:11','choose','{"kind":"choose","id":"c11","at":"2024-05-14T21:11","stake":"ann-1","course":"partage","schema":4}',26,'[{"kind":"choice-made","stake":"ann-1","course":"partage","state":"free","verdict":"refait","owner":"ann"}]',X'CE79B7ACB25B7C155FC9494BA31EEE0DC0DC65094B0485BA1BF8FED8ACBFF95F');
INSERT INTO "commands" VALUES(12,1,1,'','c12','2024-05-14T21:12','settle','{"kind":"settle","id":"c12","at":"2024-05-14T21:12","schema":4}',27,'[{"kind":"stake-settled","line":{"stake":{"id":"zoë-1","owner":"zoë","chance":"noir","amount":55,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":"","position":null,"covered":false},"verdict":"refait","course":"prison","returned":0,"won":0,"forfeited":0,"staying":55,"after":{"id":"zoë-1","owner":"zoë","chance":"noir","amount":55,"state":"prison","share":"1","insured":false,"proof":true,"handed_back":0,"group":"","position":null,"covered":false},"insured":false,"premium_kept":0,"premium_returned":0,"residue":"0","premium_residue":"0"}},{"kind":"stake-settled","line":{"stake":{"id":"ann-1","owner":"ann","chance":"rouge","amount":150,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":"","position":null,"covered":false},"verdict":"refait","course":"partage","returned":75,"won":0,"forfeited":75,"staying":0,"after":null,"insured":false,"premium_kept":0,"premium_returned":0,"residue":"0","premium_residue":"0"}},{"kind":"stake-settled","line":{"stake":{"id":"bob-1","owner":"bob","chance":"couleur","amount":200,"state":"free","share":"1","insured":true,"proof":true,"handed_back":0,"group":"","position":null,"covered":false},"verdict":"refait","course":"insured","returned":200,"won":0,"forfeited":0,"staying":0,"after":null,"insured":true,"premium_kept":2,"premium_returned":0,"residue":"0","premium_residue":"0"}},{"kind":"announced","phrase":"en_prison","values":{}},{"kind":"announced","phrase":"partage","values":{}},{"kind":"coup-settled","number":1,"players_net":-77,"bank_net":77}]',X'4BBF4B368221F426730BFA52E284C3B2CFA2CAD96F0B62908AF9AC1C5952F35E');
INSERT INTO "commands" VALUES(13,1,2,'','c13','2024-05-14T21:13','open-bets','{"kind":"open-bets","id":"c13","at":"2024-05-14T21:13","schema":4}',33,'[{"kind":"bets-opened","coup":2},{"kind":"announced","phrase":"faites_vos_jeux","values":{}}]',X'78B9B68A5ED4E1F28D5D6C4F4B5FD8AE89975DF01B83AAB2D309E289D1464051');
INSERT INTO "commands" VALUES(14,1,2,'cid','c14','2024-05-14T21:14','place','{"kind":"place","id":"c14","at":"2024-05-14T21:14","stake":"cid-2","player":"cid","chance":"inverse","amount":30,"group":"cousins","schema":4}',35,'[{"kind":"stake-placed","stake":{"id":"cid-2","owner":"cid","chance":"inverse","amount":30,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":"cousins","position":null,"covered":false},"premium":0}]',X'E76A9AB8677C11251A92C3CBD69B5B27F5127B2BC9F03FAC38604E205EC5B25A');
INSERT INTO "commands" VALUES(15,1,2,'','c15','2024-05-14T21:15','insure','{"kind":"insure","id":"c15","at":"2024-05-14T21:15","stake":"cid-2","schema":4}',36,'[{"kind":"stake-insured","stake":{"id":"cid-2","owner":"cid","chance":"inverse","amount":30,"state":"free","share":"1","insured":true,"proof":true,"handed_back":0,"group":"cousins","position":null,"covered":false},"premium":1}]',X'CADB335936602C9271C609CC35275895823AB2662D64211983CC22C9CFFB2DD1');
INSERT INTO "commands" VALUES(16,1,2,'','c16','2024-05-14T21:16','withdraw','{"kind":"withdraw","id":"c16","at":"2024-05-14T21:16","stake":"cid-2","amount":10,"schema":4}',37,'[{"kind":"stake-withdrawn","stake":{"id":"cid-2","owner":"cid","chance":"inverse","amount":30,"state":"free","share":"1","insured":true,"proof":true,"handed_back":0,"group":"cousins","position":null,"covered":false},"taken":10,"premium":0,"left":20}]',X'5C70F7DE6B0CC19D1CEF7B61F17DEC512A4A7652EBFB31D55C4BB56FF9A3EDDA');
INSERT INTO "commands" VALUES(17,1,2,'','c17','2024-05-14T21:17','close-bets','{"kind":"close-bets","id":"c17","at":"2024-05-14T21:17","schema":4}',38,'[{"kind":"bets-closed","coup":2},{"kind":"announced","phrase":"les_jeux_sont_faits","values":{}},{"kind":"announced","phrase":"rien_ne_va_plus","values":{}}]',X'7AC566CDB4F32D7736F2F1900C6291B4297A6FCEF89BD4D280921CAC8528FFF2');
INSERT INTO "commands" VALUES(18,1,2,'','c18','2024-05-14T21:18','deal','{"kind":"deal","id":"c18","at":"2024-05-14T21:18","schema":4}',41,'[{"kind":"card-turned","card":"Q♥","row":"first","total":10,"place":9},{"kind":"card-turned","card":"K♥","row":"first","total":20,"place":10},{"kind":"card-turned","card":"10♦","row":"first","total":30,"place":11},{"kind":"card-turned","card":"3♦","row":"first","total":33,"place":12},{"kind":"announced","phrase":"point","values":{"point":3,"full":33}},{"kind":"card-turned","card":"J♦","row":"second","total":10,"place":13},{"kind":"card-turned","card":"Q♦","row":"second","total":20,"place":14},{"kind":"card-turned","card":"K♦","row":"second","total":30,"place":15},{"kind":"card-turned","card":"10♣","row":"second","total":40,"place":16},{"kind":"announced","phrase":"point","values":{"point":40,"full":40}},{"kind":"coup-dealt","number":2,"coup":"Q♥ K♥ 10♦ 3♦ / J♦ Q♦ K♦ 10♣","verdicts":[["rouge","lose"],["noir","win"],["couleur","lose"],["inverse","win"]]},{"kind":"announced","phrase":"rouge_perd_et_couleur","values":{"point":3,"full":33}}]',X'FB5616E47F5649DC1740DCF1DF9953C83045C8E56FC42748495E2C54BF99E13C');
INSERT INTO "commands" VALUES(19,1,2,'','c19','2024-05-14T21:19','settle','{"kind":"settle","id":"c19","at":"2024-05-14T21:19","schema":4}',53,'[{"kind":"stake-settled","line":{"stake":{"id":"cid-2","owner":"cid","chance":"inverse","amount":20,"state":"free","share":"1","insured":true,"proof":true,"handed_back":0,"group":"cousins","position":null,"covered":false},"verdict":"win","course":"won","returned":20,"won":20,"forfeited":0,"staying":0,"after":null,"insured":true,"premium_kept":1,"premium_returned":0,"residue":"0","premium_residue":"4/5"}},{"kind":"stake-settled","line":{"stake":{"id":"zoë-1","owner":"zoë","chance":"noir","amount":55,"state":"prison","share":"1","insured":false,"proof":true,"handed_back":0,"group":"","position":null,"covered":false},"verdict":"win","course":"freed","returned":55,"won":0,"forfeited":0,"staying":0,"after":null,"insured":false,"premium_kept":0,"premium_returned":0,"residue":"0","premium_residue":"0"}},{"kind":"announced","phrase":"libre","values":{}},{"kind":"coup-settled","number":2,"players_net":19,"bank_net":-19}]',X'0095BB75BD18BA69A60FD28AF7B8F99010786B20FAA94B2EC547BC327C55F0BE');
INSERT INTO "commands" VALUES(20,1,2,'','c20','2024-05-14T21:20','correct','{"kind":"correct","id":"c20","at":"2024-05-14T21:20","reason":"paid to the wrong player","schema":4}',57,'[{"kind":"coup-corrected","number":2,"reason":"paid to the wrong player","shoe":1,"reversed":[{"stake":{"id":"cid-2","owner":"cid","chance":"inverse","amount":20,"state":"free","share":"1","insured":true,"proof":true,"handed_back":0,"group":"cousins","position":null,"covered":false},"verdict":"win","course":"won","returned":20,"won":20,"forfeited":0,"staying":0,"after":null,"insured":true,"premium_kept":1,"premium_returned":0,"residue":"0","premium_residue":"4/5"},{"stake":{"id":"zoë-1","owner":"zoë","chance":"noir","amount":55,"state":"prison","share":"1","insured":false,"proof":true,"handed_back":0,"group":"","position":null,"covered":false},"verdict":"win","course":"freed","returned":55,"won":0,"forfeited":0,"staying":0,"after":null,"insured":false,"premium_kept":0,"premium_returned":0,"residue":"0","premium_residue":"0"}],"coup":"Q♥ K♥ 10♦ 3♦ / J♦ Q♦ K♦ 10♣","verdicts":[["rouge","lose"],["noir","win"],["couleur","lose"],["inverse","win"]],"void":"","with_end":true,"turned":[]},{"kind":"stake-settled","line":{"stake":{"id":"cid-2","owner":"cid","chance":"inverse","amount":20,"state":"free","share":"1","insured":true,"proof":true,"handed_back":0,"group":"cousins","position":null,"covered":false},"verdict":"win","course":"won","returned":20,"won":20,"forfeited":0,"staying":0,"after":null,"insured":true,"premium_kept":1,"premium_returned":0,"residue":"0","premium_residue":"4/5"}},{"kind":"stake-settled","line":{"stake":{"id":"zoë-1","owner":"zoë","chance":"noir","amount":55,"state":"prison","share":"1","insured":false,"proof":true,"handed_back":0,"group":"","position":null,"covered":false},"verdict":"win","course":"freed","returned":55,"won":0,"forfeited":0,"staying":0,"after":null,"insured":false,"premium_kept":0,"premium_returned":0,"residue":"0","premium_residue":"0"}},{"kind":"announced","phrase":"libre","values":{}},{"kind":"coup-settled","number":2,"players_net":19,"bank_net":-19}]',X'59DF57BA33DA057E301692DE1EFA450DF34ED9D8A3714191F32732904517273F');
INSERT INTO "commands" VALUES(21,1,3,'','c21','2024-05-14T21:21','open-bets','{"kind":"open-bets","id":"c21","at":"2024-05-14T21:21","schema":4}',62,'[{"kind":"bets-opened","coup":3},{"kind":"announced","phrase":"faites_vos_jeux","values":{}}]',X'E55CB7E83C04D486D6594D22222CD36BE4F0F3D09D81400BE92D021521E4DD0A');
INSERT INTO "commands" VALUES(22,1,3,'ann','c22','2024-05-14T21:22','place','{"kind":"place","id":"c22","at":"2024-05-14T21:22","stake":"ann-3","player":"ann","chance":"rouge","amount":20,"schema":4}',64,'[{"kind":"stake-placed","stake":{"id":"ann-3","owner":"ann","chance":"rouge","amount":20,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":"","position":null,"covered":false},"premium":0}]',X'67AEBDDD12296111A4C293D70BD6A03032F5A35EBCBD1E691686D43CC67AE249');
INSERT INTO "commands" VALUES(23,1,3,'','c23','2024-05-14T21:23','close-bets','{"kind":"close-bets","id":"c23","at":"2024-05-14T21:23","schema":4}',65,'[{"kind":"bets-closed","coup":3},{"kind":"announced","phrase":"les_jeux_sont_faits","values":{}},{"kind":"announced","phrase":"rien_ne_va_plus","values":{}}]',X'A706A3EADD50FEBDABF224C8068FE8B64556365F12F8C9154F80699DD6907861');
INSERT INTO "commands" VALUES(24,1,3,'','c24','2024-05-14T21:24','turn','{"kind":"turn","id":"c24","at":"2024-05-14T21:24","schema":4}',68,'[{"kind":"card-turned","card":"10♣","row":"first","total":10,"place":17}]',X'DF0120DF4E6D3A5F338609D498DFD61B457DA11D9160A2A72722C7D5C4EAC97F');
INSERT INTO "commands" VALUES(25,1,3,'','c25','2024-05-14T21:25','turn','{"kind":"turn","id":"c25","at":"2024-05-14T21:25","schema":4}',69,'[{"kind":"card-turned","card":"J♣","row":"first","total":20,"place":18}]',X'D32D636661B94C352E748F0268DA6321E80BE61037DFF3A1120BCF0DAA71731A');
INSERT INTO "commands" VALUES(26,1,3,'','c26','2024-05-14T21:26','void-coup','{"kind":"void-coup","id":"c26","at":"2024-05-14T21:26","reason":"a quarrel","schema":4}',70,'[{"kind":"coup-voided","number":3,"reason":"a quarrel","lines":[{"stake":{"id":"ann-3","owner":"ann","chance":"rouge","amount":20,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":"","position":null,"covered":false},"verdict":"apres","course":"void","returned":20,"won":0,"forfeited":0,"staying":0,"after":null,"insured":false,"premium_kept":0,"premium_returned":0,"residue":"0","premium_residue":"0"}],"why":""},{"kind":"announced","phrase":"coup_annule","values":{}}]',X'939EA4E0A43FCE0C1046A8274B4906C8E62B68B69A26809DCC1F4A01A595A4C9');
INSERT INTO "commands" VALUES(27,1,4,'','c27','2024-05-14T21:27','open-bets','{"kind":"open-bets","id":"c27","at":"2024-05-14T21:27","schema":4}',72,'[{"kind":"bets-opened","coup":4},{"kind":"announced","phrase":"faites_vos_jeux","values":{}}]',X'10F3EC4D864F70841F64254CFC917918E9D3EE6510517F13083BB4C911614E9C');
INSERT INTO "commands" VALUES(28,1,4,'ann','c28','2024-05-14T21:28','place','{"kind":"place","id":"c28","at":"2024-05-14T21:28","stake":"ann-4","player":"ann","chance":"noir","amount":40,"schema":4}',74,'[{"kind":"stake-placed","stake":{"id":"ann-4","owner":"ann","chance":"noir","amount":40,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":"","position":null,"covered":false},"premium":0}]',X'B31EB48C5AC6001F0243B6FCC289E689CECB0402C274A906A82C4C96AF95354B');
INSERT INTO "commands" VALUES(29,1,4,'bob','c29','2024-05-14T21:29','place','{"kind":"place","id":"c29","at":"2024-05-14T21:29","stake":"bob-4","player":"bob","chance":"rouge","amount":35,"schema":4}',75,'[{"kind":"stake-placed","stake":{"id":"bob-4","owner":"bob","chance":"rouge","amount":35,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":"","position":null,"covered":false},"premium":0}]',X'7293CD0FC02EE1D76989B250048698949DDD195C9CB2EF2CB2D91A1FAC766858');
INSERT INTO "commands" VALUES(30,1,4,'','c30','2024-05-14T21:30','close-bets','{"kind":"close-bets","id":"c30","at":"2024-05-14T21:30","schema":4}',76,'[{"kind":"bets-closed","coup":4},{"kind":"announced","phrase":"les_jeux_sont_faits","values":{}},{"kind":"announced","phrase":"rien_ne_va_plus","values":{}}]',X'877397F150A5658EE26663863D35A16927FC1ED460382485CB747C9F96E1F70D');
INSERT INTO "commands" VALUES(31,1,4,'','c31','2024-05-14T21:31','deal','{"kind":"deal","id":"c31","at":"2024-05-14T21:31","schema":4}',79,'[{"kind":"card-turned","card":"Q♣","row":"first","total":10,"place":19},{"kind":"card-turned","card":"8♠","row":"first","total":18,"place":20},{"kind":"card-turned","card":"K♣","row":"first","total":28,"place":21},{"kind":"card-turned","card":"10♠","row":"first","total":38,"place":22},{"kind":"announced","phrase":"point","values":{"point":8,"full":38}},{"kind":"card-turned","card":"J♠","row":"second","total":10,"place":23},{"kind":"card-turned","card":"2♥","row":"second","total":12,"place":24},{"kind":"card-turned","card":"Q♠","row":"second","total":22,"place":25},{"kind":"card-turned","card":"K♠","row":"second","total":32,"place":26},{"kind":"announced","phrase":"point","values":{"point":2,"full":32}},{"kind":"coup-dealt","number":4,"coup":"Q♣ 8♠ K♣ 10♠ / J♠ 2♥ Q♠ K♠","verdicts":[["rouge","win"],["noir","lose"],["couleur","lose"],["inverse","win"]]},{"kind":"announced","phrase":"rouge_gagne_couleur_perd","values":{"point":2,"full":32}}]',X'36960A5F0AA8568C6269E98C2811714D021466D90AF03F996FAD7D3BAD63F5F4');
CREATE TABLE epochs (
    number INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, events INTEGER NOT NULL,
    at TEXT NOT NULL, engine TEXT NOT NULL, hash BLOB NOT NULL
) STRICT;
CREATE TABLE head (
    only INTEGER PRIMARY KEY CHECK (only = 1), sequence INTEGER NOT NULL, events INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;
INSERT INTO "head" VALUES(1,31,91,X'36960A5F0AA8568C6269E98C2811714D021466D90AF03F996FAD7D3BAD63F5F4');
CREATE TABLE ids (
    player TEXT NOT NULL, id TEXT NOT NULL, command INTEGER NOT NULL, PRIMARY KEY (player, id)
) STRICT, WITHOUT ROWID;
INSERT INTO "ids" VALUES('','c1',1);
INSERT INTO "ids" VALUES('','c10',10);
INSERT INTO "ids" VALUES('','c11',11);
INSERT INTO "ids" VALUES('','c12',12);
INSERT INTO "ids" VALUES('','c13',13);
INSERT INTO "ids" VALUES('','c15',15);
INSERT INTO "ids" VALUES('','c16',16);
INSERT INTO "ids" VALUES('','c17',17);
INSERT INTO "ids" VALUES('','c18',18);
INSERT INTO "ids" VALUES('','c19',19);
INSERT INTO "ids" VALUES('','c2',2);
INSERT INTO "ids" VALUES('','c20',20);
INSERT INTO "ids" VALUES('','c21',21);
INSERT INTO "ids" VALUES('','c23',23);
INSERT INTO "ids" VALUES('','c24',24);
INSERT INTO "ids" VALUES('','c25',25);
INSERT INTO "ids" VALUES('','c26',26);
INSERT INTO "ids" VALUES('','c27',27);
INSERT INTO "ids" VALUES('','c3',3);
INSERT INTO "ids" VALUES('','c30',30);
INSERT INTO "ids" VALUES('','c31',31);
INSERT INTO "ids" VALUES('','c4',4);
INSERT INTO "ids" VALUES('','c8',8);
INSERT INTO "ids" VALUES('','c9',9);
INSERT INTO "ids" VALUES('ann','c22',22);
INSERT INTO "ids" VALUES('ann','c28',28);
INSERT INTO "ids" VALUES('ann','c5',5);
INSERT INTO "ids" VALUES('bob','c29',29);
INSERT INTO "ids" VALUES('bob','c7',7);
INSERT INTO "ids" VALUES('cid','c14',14);
INSERT INTO "ids" VALUES('zoë','c6',6);
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO "meta" VALUES('engine','0.5.0');
INSERT INTO "meta" VALUES('fingerprint','f1:c70a781f7299fc96e589da29249a4208e6a66c9128da6e735767c90959e049c5');
INSERT INTO "meta" VALUES('first','0');
INSERT INTO "meta" VALUES('house','france-2007');
INSERT INTO "meta" VALUES('house_toml','[house]
name = "france-2007"
title = "France, order of 14 May 2007"
sources = [
    "France, arrêté du 14 mai 2007 relatif à la réglementation des jeux dans les casinos, art. 35 (associations), 40 (shuffle), 52 (zero and refait), 53 and 55 (limits), 54 (trente et quarante)",
]
inferred = [
    "money.unit",
    "money.rounding",
    "shoe.prisoners_at_end",
    "shoe.cut_by",
    "refait.last",
    "refait.tie",
    "refait.default",
    "refait.partage_not_below",
    "insurance.premium_on",
    "insurance.covers",
    "insurance.minimum_premium",
    "insurance.multiple",
    "insurance.without_proof",
    "limits.step",
    "limits.both_sides",
    "limits.move_prisoners",
    "limits.late_bets",
    "limits.progression",
    "settlement.collect_from",
    "announcements",
]

[money]
currency = "EUR"
unit = 1
rounding = "bank"

[shoe]
packs = 6
shuffled = "each-taille"
burn = 0
burn_shown = false
ends = "last-card"
prisoners_at_end = "carry"
cut_by = "player"
cut = "before-bets"
exposed_card = "burn"
count_talon = true

[shoe.marker]
from_end = 5
placed_by = "croupier"
on_marker = "void"

[deal]
first_row = "noir"
couleur = "first-of-coup"
chances = [
    "rouge",
    "noir",
    "couleur",
    "inverse",
]
refait_on = [
    31,
]
wins = "lowest"

[refait]
rule = "prison"
levels = 1
partage = [
    "1/2",
    "1/4",
]
again = "next-prison"
last = "halve"
release = "frees"
tie = "stays"
close = [
    "1/2",
]
partage_not_below = "none"
default = "prison"

[insurance]
rule = "rate"
minimum_premium = 0
minimum_stake = 10
multiple = 0
maximum_stake = 0
premium_unit = 0
maximum_premium = 0
lasts = "coup"
covers = [
    "free",
]
prepaid = true
without_proof = "uninsured"
rate = "1/100"

[insurance.premium_on]
win = "kept"
lose = "kept"
apres = "kept"
refait = "kept"
close = "returned"

[limits]
rule = "fixed"
step = 1
both_sides = true
associations = "refused"
move_prisoners = false
late_bets = "refused"
progression = "none"
maximum_win = "none"
aggregate_maximum = "none"
differential_maximum = "none"
table_maximum = "none"
most_stakes = "none"
table_most_stakes = "none"
minimum = "at-opening"
maximum = "none"
maximum_multiple = 1000

[limits.per_chance]

[settlement]
order = "losers-first"
pay = [
    "inverse",
    "noir",
    "rouge",
    "couleur",
]
collect_from = "nearest"
pay_from = "farthest"

[announcements]
language = "fr"
totals = "units"
points_at = "row"
forty = "quarante"
row_call = false
result = "rouge-couleur"
tie = "point"

[announcements.phrases]
');
INSERT INTO "meta" VALUES('ids','e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
INSERT INTO "meta" VALUES('opening','5');
INSERT INTO "meta" VALUES('schema','3');
INSERT INTO "meta" VALUES('sealed','');
INSERT INTO "meta" VALUES('session','00689398f5fe594d8d889f77c10a19a4');
INSERT INTO "meta" VALUES('table','salle 3');
CREATE TABLE movements (
    command INTEGER NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL,
    shoe INTEGER NOT NULL, coup INTEGER NOT NULL, stake TEXT NOT NULL, player TEXT NOT NULL,
    units ANY NOT NULL, reason TEXT NOT NULL, reverses TEXT NOT NULL,
    PRIMARY KEY (command, place)
) STRICT, WITHOUT ROWID;
INSERT INTO "movements" VALUES(5,0,'00689398f5fe594d8d889f77c10a19a4/ann/c5/0',1,1,'ann-1','ann',-100,'stake','');
INSERT INTO "movements" VALUES(6,0,'00689398f5fe594d8d889f77c10a19a4/zo%C3%AB/c6/0',1,1,'zoë-1','zoë',-55,'stake','');
INSERT INTO "movements" VALUES(7,0,'00689398f5fe594d8d889f77c10a19a4/bob/c7/0',1,1,'bob-1','bob',-200,'stake','');
INSERT INTO "movements" VALUES(7,1,'00689398f5fe594d8d889f77c10a19a4/bob/c7/1',1,1,'bob-1','bob',-2,'premium','');
INSERT INTO "movements" VALUES(8,0,'00689398f5fe594d8d889f77c10a19a4//c8/0',1,1,'ann-1','ann',-50,'stake','');
INSERT INTO "movements" VALUES(12,0,'00689398f5fe594d8d889f77c10a19a4//c12/0',1,1,'ann-1','ann',75,'returned','');
INSERT INTO "movements" VALUES(12,1,'00689398f5fe594d8d889f77c10a19a4//c12/1',1,1,'bob-1','bob',200,'returned','');
INSERT INTO "movements" VALUES(14,0,'00689398f5fe594d8d889f77c10a19a4/cid/c14/0',1,2,'cid-2','cid',-30,'stake','');
INSERT INTO "movements" VALUES(15,0,'00689398f5fe594d8d889f77c10a19a4//c15/0',1,2,'cid-2','cid',-1,'premium','');
INSERT INTO "movements" VALUES(16,0,'00689398f5fe594d8d889f77c10a19a4//c16/0',1,2,'cid-2','cid',10,'withdrawn','');
INSERT INTO "movements" VALUES(19,0,'00689398f5fe594d8d889f77c10a19a4//c19/0',1,2,'cid-2','cid',20,'returned','');
INSERT INTO "movements" VALUES(19,1,'00689398f5fe594d8d889f77c10a19a4//c19/1',1,2,'cid-2','cid',20,'won','');
INSERT INTO "movements" VALUES(19,2,'00689398f5fe594d8d889f77c10a19a4//c19/2',1,2,'zoë-1','zoë',55,'returned','');
INSERT INTO "movements" VALUES(22,0,'00689398f5fe594d8d889f77c10a19a4/ann/c22/0',1,3,'ann-3','ann',-20,'stake','');
INSERT INTO "movements" VALUES(26,0,'00689398f5fe594d8d889f77c10a19a4//c26/0',1,3,'ann-3','ann',20,'void','');
INSERT INTO "movements" VALUES(28,0,'00689398f5fe594d8d889f77c10a19a4/ann/c28/0',1,4,'ann-4','ann',-40,'stake','');
INSERT INTO "movements" VALUES(29,0,'00689398f5fe594d8d889f77c10a19a4/bob/c29/0',1,4,'bob-4','bob',-35,'stake','');
CREATE TABLE next (
    only INTEGER PRIMARY KEY CHECK (only = 1), name TEXT NOT NULL, first BLOB NOT NULL
) STRICT;
CREATE TABLE signatures (
    number INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, events INTEGER NOT NULL,
    hash BLOB NOT NULL, key TEXT NOT NULL, signature BLOB NOT NULL
) STRICT;
CREATE TABLE snapshots (
    sequence INTEGER PRIMARY KEY, body TEXT NOT NULL, hash BLOB NOT NULL
) STRICT;
INSERT INTO "snapshots" VALUES(0,'{"schema":4,"engine":"0.5.0","house":{"name":"france-2007","fingerprint":"f1:c70a781f7299fc96e589da29249a4208e6a66c9128da6e735767c90959e049c5"},"table":"salle 3","session":"00689398f5fe594d8d889f77c10a19a4","opening":5,"state":{"phase":"no-shoe","shoe_number":0,"coup_number":0,"shoe":null,"cards":"","first_cards":0,"marker_shown":false,"coup":null,"stakes":[],"prisoners":[],"choices":[],"accounts":[],"bank":0,"history":{"bets":[]},"events":0,"last_shoe":null,"uncut":false,"first_row":"","posted":null,"deposits":[],"exposed":[],"drawn_cut":null,"drawn_marker":null},"entries":[]}',X'7854B5BFAE24CDA76EFE05A482166B174513693977441F690A4FC713F3FE9CD5');
INSERT INTO "snapshots" VALUES(1,'{"schema":4,"engine":"0.5.0","house":{"name":"france-2007","fingerprint":"f1:c70a781f7299fc96e589da29249a4208e6a66c9128da6e735767c90959e049c5"},"table":"salle 3","session":"00689398f5fe594d8d889f77c10a19a4","opening":5,"state":{"phase":"cut","shoe_number":1,"coup_number":0,"shoe":{"kind":"known","cards":"10♠ J♠ Q♠ A♠ K♠ 10♥ J♥ A♥ Q♥ K♥ 10♦ 3♦ J♦ Q♦ K♦ 10♣ 10♣ J♣ Q♣ 8♠ K♣ 10♠ J♠ 2♥ Q♠ K♠ 10♥ A♦ J♥ Q♥ K♥ A♣ A♠ A♠ A♠ A♠ A♠ 2♠ 2♠ 2♠ 2♠ 2♠ 2♠ 3♠ 3♠ 3♠ 3♠ 3♠ 3♠ 4♠ 4♠ 4♠ 4♠ 4♠ 4♠ 5♠ 5♠ 5♠ 5♠ 5♠ 5♠ 6♠ 6♠ 6♠ 6♠ 6♠ 6♠ 7♠ 7♠ 7♠ 7♠ 7♠ 7♠ 8♠ 8♠ 8♠ 8♠ 8♠ 9♠ 9♠ 9♠ 9♠ 9♠ 9♠ 10♠ 10♠ 10♠ 10♠ J♠ J♠ J♠ J♠ Q♠ Q♠ Q♠ Q♠ K♠ K♠ K♠ K♠ A♥ A♥ A♥ A♥ A♥ 2♥ 2♥ 2♥ 2♥ 2♥ 3♥ 3♥ 3♥ 3♥ 3♥ 3♥ 4♥ 4♥ 4♥ 4♥ 4♥ 4♥ 5♥ 5♥ 5♥ 5♥ 5♥ 5♥ 6♥ 6♥ 6♥ 6♥ 6♥ 6♥ 7♥ 7♥ 7♥ 7♥ 7♥ 7♥ 8♥ 8♥ 8♥ 8♥ 8♥ 8♥ 9♥ 9♥ 9♥ 9♥ 9♥ 9♥ 10♥ 10♥ 10♥ 10♥ J♥ J♥ J♥ J♥ Q♥ Q♥ Q♥ Q♥ K♥ K♥ K♥ K♥ A♦ A♦ A♦ A♦ A♦ 2♦ 2♦ 2♦ 2♦ 2♦ 2♦ 3♦ 3♦ 3♦ 3♦ 3♦ 4♦ 4♦ 4♦ 4♦ 4♦ 4♦ 5♦ 5♦ 5♦ 5♦ 5♦ 5♦ 6♦ 6♦ 6♦ 6♦ 6♦ 6♦ 7♦ 7♦ 7♦ 7♦ 7♦ 7♦ 8♦ 8♦ 8♦ 8♦ 8♦ 8♦ 9♦ 9♦ 9♦ 9♦ 9♦ 9♦ 10♦ 10♦ 10♦ 10♦ 10♦ J♦ J♦ J♦ J♦ J♦ Q♦ Q♦ Q♦ Q♦ Q♦ K♦ K♦ K♦ K♦ K♦ A♣ A♣ A♣ A♣ A♣ 2♣ 2♣ 2♣ 2♣ 2♣ 2♣ 3♣ 3♣ 3♣ 3♣ 3♣ 3♣ 4♣ 4♣ 4♣ 4♣ 4♣ 4♣ 5♣ 5♣ 5♣ 5♣ 5♣ 5♣ 6♣ 6♣ 6♣ 6♣ 6♣ 6♣ 7♣ 7♣ 7♣ 7♣ 7♣ 7♣ 8♣ 8♣ 8♣ 8♣ 8♣ 8♣ 9♣ 9♣ 9♣ 9♣ 9♣ 9♣ 10♣ 10♣ 10♣ 10♣ J♣ J♣ J♣ J♣ J♣ Q♣ Q♣ Q♣ Q♣ Q♣ K♣ K♣ K♣ K♣ K♣","packs":6,"position":0,"burned":0,"marker":null},"cards":"","first_cards":0,"marker_shown":false,"coup":null,"stakes":[],"prisoners":[],"choices":[],"accounts":[],"bank":0,"history":{"bets":[]},"events":2,"last_shoe":null,"uncut":false,"first_row":"","posted":null,"deposits":[],"exposed":[],"drawn_cut":null,"drawn_marker":null},"entries":[{"sequence":1,"round":"00689398f5fe594d8d889f77c10a19a4/1/0","command":{"kind":"open-shoe","id":"c1","at":"2024-05-14T21:01","cards":["10♠","J♠","Q♠","A♠","K♠","10♥","J♥","A♥","Q♥","K♥","10♦","3♦","J♦","Q♦","K♦","10♣","10♣","J♣","Q♣","8♠","K♣","10♠","J♠","2♥","Q♠","K♠","10♥","A♦","J♥","Q♥","K♥","A♣","A♠","A♠","A♠","A♠","A♠","2♠","2♠","2♠","2♠","2♠","2♠","3♠","3♠","3♠","3♠","3♠","3♠","4♠","4♠","4♠","4♠","4♠","4♠","5♠","5♠","5♠","5♠","5♠","5♠","6♠","6♠","6♠","6♠","6♠","6♠","7♠","7♠","7♠","7♠","7♠","7♠","8♠","8♠","8♠","8♠","8♠","9♠","9♠","9♠","9♠","9♠","9♠","10♠","10♠","10♠","10♠","J♠","J♠","J♠","J♠","Q♠","Q♠","Q♠","Q♠","K♠","K♠","K♠","K♠","A♥","A♥","A♥","A♥","A♥","2♥","2♥","2♥","2♥","2♥","3♥","3♥","3♥","3♥","3♥","3♥","4♥","4♥","4♥","4♥","4♥","4♥","5♥","5♥","5♥","5♥","5♥","5♥","6♥","6♥","6♥","6♥","6♥","6♥","7♥","7♥","7♥","7♥","7♥","7♥","8♥","8♥","8♥","8♥","8♥","8♥","9♥","9♥","9♥","9♥","9♥","9♥","10♥","10♥","10♥","10♥","J♥","J♥","J♥","J♥","Q♥","Q♥","Q♥","Q♥","K♥","K♥","K♥","K♥","A♦","A♦","A♦","A♦","A♦","2♦","2♦","2♦","2♦","2♦","2♦","3♦","3♦","3♦","3♦","3♦","4♦","4♦","4♦","4♦","4♦","4♦","5♦","5♦","5♦","5♦","5♦","5♦","6♦","6♦","6♦","6♦","6♦","6♦","7♦","7♦","7♦","7♦","7♦","7♦","8♦","8♦","8♦","8♦","8♦","8♦","9♦","9♦","9♦","9♦","9♦","9♦","10♦","10♦","10♦","10♦","10♦","J♦","J♦","J♦","J♦","J♦","Q♦","Q♦","Q♦","Q♦","Q♦","K♦","K♦","K♦","K♦","K♦","A♣","A♣","A♣","A♣","A♣","2♣","2♣","2♣","2♣","2♣","2♣","3♣","3♣","3♣","3♣","3♣","3♣","4♣","4♣","4♣","4♣","4♣","4♣","5♣","5♣","5♣","5♣","5♣","5♣","6♣","6♣","6♣","6♣","6♣","6♣","7♣","7♣","7♣","7♣","7♣","7♣","8♣","8♣","8♣","8♣","8♣","8♣","9♣","9♣","9♣","9♣","9♣","9♣","10♣","10♣","10♣","10♣","J♣","J♣","J♣","J♣","J♣","Q♣","Q♣","Q♣","Q♣","Q♣","K♣","K♣","K♣","K♣","K♣"],"source":"test"},"first_event":0,"events":[{"kind":"shoe-opened","shoe":1,"packs":6,"live":false,"source":"test"},{"kind":"announced","phrase":"cut","values":{}}],"movements":[]}]}',X'C987711A994AF8EA51E09E13CD2CA1FC702B2D5F04CECCC60DC3A28C63C8619B');
CREATE INDEX command_rounds ON commands (shoe, coup);
CREATE INDEX corrections ON commands (sequence) WHERE kind = 'correct';
CREATE INDEX movement_rounds ON movements (shoe, coup);
CREATE INDEX movement_players ON movements (player, stake);
COMMIT;

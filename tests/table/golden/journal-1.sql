PRAGMA application_id = 1413828913;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE commands (
    sequence INTEGER PRIMARY KEY,
    shoe INTEGER NOT NULL,
    id TEXT NOT NULL,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    first_event INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;
INSERT INTO "commands" VALUES(1,1,'c1','2024-05-14T21:01','open-shoe','{"kind":"open-shoe","id":"c1","at":"2024-05-14T21:01","cards":["10♠","J♠","Q♠","A♠","K♠","10♥","J♥","A♥","Q♥","K♥","10♦","3♦","J♦","Q♦","K♦","10♣","10♣","J♣","Q♣","8♠","K♣","10♠","J♠","2♥","Q♠","K♠","10♥","A♦","J♥","Q♥","K♥","A♣","A♠","A♠","A♠","A♠","A♠","2♠","2♠","2♠","2♠","2♠","2♠","3♠","3♠","3♠","3♠","3♠","3♠","4♠","4♠","4♠","4♠","4♠","4♠","5♠","5♠","5♠","5♠","5♠","5♠","6♠","6♠","6♠","6♠","6♠","6♠","7♠","7♠","7♠","7♠","7♠","7♠","8♠","8♠","8♠","8♠","8♠","9♠","9♠","9♠","9♠","9♠","9♠","10♠","10♠","10♠","10♠","J♠","J♠","J♠","J♠","Q♠","Q♠","Q♠","Q♠","K♠","K♠","K♠","K♠","A♥","A♥","A♥","A♥","A♥","2♥","2♥","2♥","2♥","2♥","3♥","3♥","3♥","3♥","3♥","3♥","4♥","4♥","4♥","4♥","4♥","4♥","5♥","5♥","5♥","5♥","5♥","5♥","6♥","6♥","6♥","6♥","6♥","6♥","7♥","7♥","7♥","7♥","7♥","7♥","8♥","8♥","8♥","8♥","8♥","8♥","9♥","9♥","9♥","9♥","9♥","9♥","10♥","10♥","10♥","10♥","J♥","J♥","J♥","J♥","Q♥","Q♥","Q♥","Q♥","K♥","K♥","K♥","K♥","A♦","A♦","A♦","A♦","A♦","2♦","2♦","2♦","2♦","2♦","2♦","3♦","3♦","3♦","3♦","3♦","4♦","4♦","4♦","4♦","4♦","4♦","5♦","5♦","5♦","5♦","5♦","5♦","6♦","6♦","6♦","6♦","6♦","6♦","7♦","7♦","7♦","7♦","7♦","7♦","8♦","8♦","8♦","8♦","8♦","8♦","9♦","9♦","9♦","9♦","9♦","9♦","10♦","10♦","10♦","10♦","10♦","J♦","J♦","J♦","J♦","J♦","Q♦","Q♦","Q♦","Q♦","Q♦","K♦","K♦","K♦","K♦","K♦","A♣","A♣","A♣","A♣","A♣","2♣","2♣","2♣","2♣","2♣","2♣","3♣","3♣","3♣","3♣","3♣","3♣","4♣","4♣","4♣","4♣","4♣","4♣","5♣","5♣","5♣","5♣","5♣","5♣","6♣","6♣","6♣","6♣","6♣","6♣","7♣","7♣","7♣","7♣","7♣","7♣","8♣","8♣","8♣","8♣","8♣","8♣","9♣","9♣","9♣","9♣","9♣","9♣","10♣","10♣","10♣","10♣","J♣","J♣","J♣","J♣","J♣","Q♣","Q♣","Q♣","Q♣","Q♣","K♣","K♣","K♣","K♣","K♣"],"source":"test"}',0,X'F0E8C58DA92456B2AD407983856CC22EC2268B66C56CE9C5339E3AC3EF58B8CA');
INSERT INTO "commands" VALUES(2,1,'c2','2024-05-14T21:02','cut','{"kind":"cut","id":"c2","at":"2024-05-14T21:02"}',2,X'4A51B509E1D46D95651D00A09BC839DC40502D901A97F9C31B34B76CCF96585F');
INSERT INTO "commands" VALUES(3,1,'c3','2024-05-14T21:03','place-marker','{"kind":"place-marker","id":"c3","at":"2024-05-14T21:03"}',3,X'9EDBCD0947D4FF4C787E7F26EA1AEEF0F1979B8DF7D220A2628352E655F1F9B1');
INSERT INTO "commands" VALUES(4,1,'c4','2024-05-14T21:04','open-bets','{"kind":"open-bets","id":"c4","at":"2024-05-14T21:04"}',4,X'02F344D6D523D9B6D428E3BC83F8988C30C846976B9FCBD934E9F22BC9DE511D');
INSERT INTO "commands" VALUES(5,1,'c5','2024-05-14T21:05','place','{"kind":"place","id":"c5","at":"2024-05-14T21:05","stake":"ann-1","player":"ann","chance":"rouge","amount":100}',6,X'D385D6D6A62CB60288FACD09BF1DCD53406AF98846CED14E50D8A946C9677A3E');
INSERT INTO "commands" VALUES(6,1,'c6','2024-05-14T21:06','place','{"kind":"place","id":"c6","at":"2024-05-14T21:06","stake":"zoë-1","player":"zoë","chance":"noir","amount":55}',7,X'946E8E9A73CF33750CC83CC01C9201E428B62BD4CCD89ECD90E1D4890CD4D6B7');
INSERT INTO "commands" VALUES(7,1,'c7','2024-05-14T21:07','place','{"kind":"place","id":"c7","at":"2024-05-14T21:07","stake":"bob-1","player":"bob","chance":"couleur","amount":200,"insured":true}',8,X'F48E016BD0DCBB4F91747F86E5AAB8F97D321955679B83EDC7EF7A46D40A431E');
INSERT INTO "commands" VALUES(8,1,'c8','2024-05-14T21:08','increase','{"kind":"increase","id":"c8","at":"2024-05-14T21:08","stake":"ann-1","amount":50}',9,X'C0C0306ABF81380B695CDE8897E3F8FEC6B29A13F0FEC1B87616795D543494C4');
INSERT INTO "commands" VALUES(9,1,'c9','2024-05-14T21:09','close-bets','{"kind":"close-bets","id":"c9","at":"2024-05-14T21:09"}',10,X'E1F9A9E3B33BBDEEE0ECA0F943F4FECB7D4707F3EE27E00E3488D38C199DC4C0');
INSERT INTO "commands" VALUES(10,1,'c10','2024-05-14T21:10','deal','{"kind":"deal","id":"c10","at":"2024-05-14T21:10"}',13,X'B239EC9EB4DEED56EFE90298858D75676ACAFB99660239BCDC207C9AB38C6C6B');
INSERT INTO "commands" VALUES(11,1,'c11','2024-05-14T21:11','choose','{"kind":"choose","id":"c11","at":"2024-05-14T21:11","stake":"ann-1","course":"partage"}',26,X'BAFF47150C321DC0BAF7BE111ABBC6544343DD43129A74FA2D50A201BB63E220');
INSERT INTO "commands" VALUES(12,1,'c12','2024-05-14T21:12','settle','{"kind":"settle","id":"c12","at":"2024-05-14T21:12"}',27,X'9756D30189B351355EAB2B31C127FED6A7A65945B686B77E2B16A75FF5750C1B');
INSERT INTO "commands" VALUES(13,1,'c13','2024-05-14T21:13','open-bets','{"kind":"open-bets","id":"c13","at":"2024-05-14T21:13"}',33,X'D80E31F19EB497E0DE1B49B391F1D6038D4C82CB65FDF726FCB254751F84DF97');
INSERT INTO "commands" VALUES(14,1,'c14','2024-05-14T21:14','place','{"kind":"place","id":"c14","at":"2024-05-14T21:14","stake":"cid-2","player":"cid","chance":"inverse","amount":30,"group":"cousins"}',35,X'0A98393238DAAC070F15CA4682D954E2458005F018F281C814CACDCE304E5D1D');
INSERT INTO "commands" VALUES(15,1,'c15','2024-05-14T21:15','insure','{"kind":"insure","id":"c15","at":"2024-05-14T21:15","stake":"cid-2"}',36,X'5BBEA83CD8754A5903960A658399E3A8E4AA70E281D4A3A4F762D884C6B69D2B');
INSERT INTO "commands" VALUES(16,1,'c16','2024-05-14T21:16','withdraw','{"kind":"withdraw","id":"c16","at":"2024-05-14T21:16","stake":"cid-2","amount":10}',37,X'7526E2B73F557F5CC317B9CC16A2ACEB688E941A2FBEFB6636F90C43478823E2');
INSERT INTO "commands" VALUES(17,1,'c17','2024-05-14T21:17','close-bets','{"kind":"close-bets","id":"c17","at":"2024-05-14T21:17"}',38,X'F6352DB5FBFDBCD530A1A299A96CE8B5DCAAF6614C00E971C50A7CDF5D31B940');
INSERT INTO "commands" VALUES(18,1,'c18','2024-05-14T21:18','deal','{"kind":"deal","id":"c18","at":"2024-05-14T21:18"}',41,X'32C28D69B0D22C1C78CBE22007F08D4E80ED6E370E8AC6979F46BE06F6572267');
INSERT INTO "commands" VALUES(19,1,'c19','2024-05-14T21:19','settle','{"kind":"settle","id":"c19","at":"2024-05-14T21:19"}',53,X'394C65092ED655F58121363FE6276272785B2BFF38A6AFC424BBF78CB836D2F9');
INSERT INTO "commands" VALUES(20,1,'c20','2024-05-14T21:20','correct','{"kind":"correct","id":"c20","at":"2024-05-14T21:20","reason":"paid to the wrong player"}',57,X'8B96F2F7B7E43E871119A8268E8F0FA7FD954C4D4ECE74859EDBADA5EF8DB48B');
INSERT INTO "commands" VALUES(21,1,'c21','2024-05-14T21:21','open-bets','{"kind":"open-bets","id":"c21","at":"2024-05-14T21:21"}',62,X'965031D344F8141413C1A4A6920A357FC6B08E08AA0A4DEB8C6447789455BDC2');
INSERT INTO "commands" VALUES(22,1,'c22','2024-05-14T21:22','place','{"kind":"place","id":"c22","at":"2024-05-14T21:22","stake":"ann-3","player":"ann","chance":"rouge","amount":20}',64,X'4E2A0AF7E7A0E22AA22CD997BB374201A6D46E7600D62D1210BBFDDDA208C740');
INSERT INTO "commands" VALUES(23,1,'c23','2024-05-14T21:23','close-bets','{"kind":"close-bets","id":"c23","at":"2024-05-14T21:23"}',65,X'F0A7D6C3E054D77F456BD1FEC3568C9042F92803C5909E92501AC1C12E126A2A');
INSERT INTO "commands" VALUES(24,1,'c24','2024-05-14T21:24','turn','{"kind":"turn","id":"c24","at":"2024-05-14T21:24"}',68,X'80D6B98A81D8407FE9EDE256D2B40A98DCBD701F24D96D175F76FCDFAFB2EF78');
INSERT INTO "commands" VALUES(25,1,'c25','2024-05-14T21:25','turn','{"kind":"turn","id":"c25","at":"2024-05-14T21:25"}',69,X'516DA4955F13F42ABC4FA9C6B566DEF613837DB1F18E9BAAFEDEC498E1BE9E1B');
INSERT INTO "commands" VALUES(26,1,'c26','2024-05-14T21:26','void-coup','{"kind":"void-coup","id":"c26","at":"2024-05-14T21:26","reason":"a quarrel"}',70,X'3AE41204D7485A0996182AED3BAA38455F061071C05E54EE64E3B73C0F337E53');
INSERT INTO "commands" VALUES(27,1,'c27','2024-05-14T21:27','open-bets','{"kind":"open-bets","id":"c27","at":"2024-05-14T21:27"}',72,X'0BD354EE2D2555156E2901A5B8145B4C05B77AE85829801AA640DD5498BBDBE2');
INSERT INTO "commands" VALUES(28,1,'c28','2024-05-14T21:28','place','{"kind":"place","id":"c28","at":"2024-05-14T21:28","stake":"ann-4","player":"ann","chance":"noir","amount":40}',74,X'7B43CF381E8CC31A150C194B3B779653D258A8A472D3ECB2E2E9A6B903DB17D8');
INSERT INTO "commands" VALUES(29,1,'c29','2024-05-14T21:29','place','{"kind":"place","id":"c29","at":"2024-05-14T21:29","stake":"bob-4","player":"bob","chance":"rouge","amount":35}',75,X'07D12839CB972739382318231CD284F4E26BF9651071057CDC49AB2F3E10E8B5');
INSERT INTO "commands" VALUES(30,1,'c30','2024-05-14T21:30','close-bets','{"kind":"close-bets","id":"c30","at":"2024-05-14T21:30"}',76,X'4FF6DE53696F65E9A5192ED55057825EC8711AA732D7BF89F3108CC8F89CDB21');
INSERT INTO "commands" VALUES(31,1,'c31','2024-05-14T21:31','deal','{"kind":"deal","id":"c31","at":"2024-05-14T21:31"}',79,X'48CD5822D1DAE54E10AB8C02525598A7D27142E74F22D472BBA5A5E2CDBFFC53');
CREATE TABLE events (
    number INTEGER PRIMARY KEY,
    command INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    hash BLOB NOT NULL
) STRICT;
INSERT INTO "events" VALUES(0,1,'shoe-opened','{"kind":"shoe-opened","shoe":1,"packs":6,"live":false,"source":"test"}',X'D969A31A42A7E65797987A9A585385CE801982F882718B7CDF436A75F01EACEF');
INSERT INTO "events" VALUES(1,1,'announced','{"kind":"announced","phrase":"cut","text":"Messieurs, à la coupe"}',X'F587AA876B5565439ED65AD35333EEE7C7D8CE1A22FADD52597C1F018ABD96BA');
INSERT INTO "events" VALUES(2,2,'cut-made','{"kind":"cut-made","place":0,"by":"player"}',X'F3C6B434ECF5C49F80AE69665D10F726D2958B9067FA610F18DBD9D37EB05F2B');
INSERT INTO "events" VALUES(3,3,'marker-placed','{"kind":"marker-placed","from_end":5,"by":"croupier"}',X'36CB2B95355FBF5128001B2699B4B4970518653A1612F1B2FE7A390BD563B907');
INSERT INTO "events" VALUES(4,4,'bets-opened','{"kind":"bets-opened","coup":1}',X'F1247333255A24DFF42636BC727A39311FC14EEFE7C5DEE672F083B756BEDBD7');
INSERT INTO "events" VALUES(5,4,'announced','{"kind":"announced","phrase":"faites_vos_jeux","text":"Messieurs, faites vos jeux"}',X'7F714B80E206C6E8B8AE61A76FB9FBD8AB95131E0863EDD521D0EC15320B1B80');
INSERT INTO "events" VALUES(6,5,'stake-placed','{"kind":"stake-placed","stake":{"id":"ann-1","owner":"ann","chance":"rouge","amount":100,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":""},"premium":0}',X'D838505BEF1C43F73E9DAEC1264C13916D8838973530A73667B79DF9192ED71F');
INSERT INTO "events" VALUES(7,6,'stake-placed','{"kind":"stake-placed","stake":{"id":"zoë-1","owner":"zoë","chance":"noir","amount":55,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":""},"premium":0}',X'420C029A56DBA947BF82B04FC8726BA148040C7E0784129BB9683E34E3A02E79');
INSERT INTO "events" VALUES(8,7,'stake-placed','{"kind":"stake-placed","stake":{"id":"bob-1","owner":"bob","chance":"couleur","amount":200,"state":"free","share":"1","insured":true,"proof":true,"handed_back":0,"group":""},"premium":2}',X'7A606A6FD123141E1CE09382288E0BA59D9FE3F808AD707790321FFBD518A557');
INSERT INTO "events" VALUES(9,8,'stake-increased','{"kind":"stake-increased","stake":{"id":"ann-1","owner":"ann","chance":"rouge","amount":150,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":""},"added":50,"premium":0}',X'D04EEDE3FAEB2676E79B2F040A80D130483431C80048FE35B7CF2ECCFB0E98C4');
INSERT INTO "events" VALUES(10,9,'bets-closed','{"kind":"bets-closed","coup":1}',X'B8CC116281120D307C7BFEE2218F97D11BA9737027AC47A4786237D1402F597F');
INSERT INTO "events" VALUES(11,9,'announced','{"kind":"announced","phrase":"les_jeux_sont_faits","text":"Les jeux sont faits"}',X'DE97AB6D2CA98E50FE532151C55C4654E79652689A44E5493332D248B2616B50');
INSERT INTO "events" VALUES(12,9,'announced','{"kind":"announced","phrase":"rien_ne_va_plus","text":"Rien ne va plus"}',X'C0D97E60F7056D4786201B91E107FCCC1D22D407330048E00C3A21F2BA0B6136');
INSERT INTO "events" VALUES(13,10,'card-turned','{"kind":"card-turned","card":"10♠","row":"first","total":10,"place":1}',X'AC92E0D5CCE1AFC517976CF65188A87E8812E24267DE6FE5BFE2C0F315DA8449');
INSERT INTO "events" VALUES(14,10,'card-turned','{"kind":"card-turned","card":"J♠","row":"first","total":20,"place":2}',X'2AF97E82BAD5DB42425BB0A1303D472467418FD6498EC59BFB87D68291FAA85D');
INSERT INTO "events" VALUES(15,10,'card-turned','{"kind":"card-turned","card":"Q♠","row":"first","total":30,"place":3}',X'1496FDF4E95C7C94BE3D26904C93021C65EFBB11AADD8F38BFEB54EE572BBBB6');
INSERT INTO "events" VALUES(16,10,'card-turned','{"kind":"card-turned","card":"A♠","row":"first","total":31,"place":4}',X'0334657FC606931C36EA4CC43ADD8E179378A7C5955D2ADE4382E813D27C6E56');
INSERT INTO "events" VALUES(17,10,'announced','{"kind":"announced","phrase":"point","text":"Un"}',X'131C6D2EB1712DAE922D8C2E85AB1ABD455A6D66FF1E9F7E3832D54B9756B313');
INSERT INTO "events" VALUES(18,10,'card-turned','{"kind":"card-turned","card":"K♠","row":"second","total":10,"place":5}',X'54853A96448FB602E18F185647DA8BCD0C5F3D062FA315DF1E9B26DB3106A6C4');
INSERT INTO "events" VALUES(19,10,'card-turned','{"kind":"card-turned","card":"10♥","row":"second","total":20,"place":6}',X'EDFD1764D47F6911A300424AB069B74882DE8345E023C376D4FB835E55B3029D');
INSERT INTO "events" VALUES(20,10,'card-turned','{"kind":"card-turned","card":"J♥","row":"second","total":30,"place":7}',X'130FF77FE58C52EF10BA9A511A3B8D06FC1ED775E62866B42F0F188408C255B7');
INSERT INTO "events" VALUES(21,10,'card-turned','{"kind":"card-turned","card":"A♥","row":"second","total":31,"place":8}',X'268FA74B242489060DE50839BFE7FC24CC4382B0DD283154AC92963C49A546D6');
INSERT INTO "events" VALUES(22,10,'coup-dealt','{"kind":"coup-dealt","number":1,"coup":"10♠ J♠ Q♠ A♠ / K♠ 10♥ J♥ A♥","verdicts":[["rouge","refait"],["noir","refait"],["couleur","refait"],["inverse","refait"]]}',X'B8BD433FB20D9CC9657653BA2187426B6DBBE7CCD2871FDC4B3B0ADD39C481CB');
INSERT INTO "events" VALUES(23,10,'announced','{"kind":"announced","phrase":"refait_point","text":"Un après"}',X'2FBD3CBD08A0592FADE71B947BE7659D16289D5D7914B02C9A773F7FB44BC4B3');
INSERT INTO "events" VALUES(24,10,'choice-offered','{"kind":"choice-offered","stake":{"id":"ann-1","owner":"ann","chance":"rouge","amount":150,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":""},"verdict":"refait","courses":["prison","partage"]}',X'95C71D060613D8F3EA1B98A045AF8B211D29659BA97BB6FDD4AFB80055F6E168');
INSERT INTO "events" VALUES(25,10,'choice-offered','{"kind":"choice-offered","stake":{"id":"zoë-1","owner":"zoë","chance":"noir","amount":55,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":""},"verdict":"refait","courses":["prison","partage"]}',X'EF457E9931E2A36F13AE6642EE747E806250B7417ACDD6E02F53E5A73D06FEE5');
INSERT INTO "events" VALUES(26,11,'choice-made','{"kind":"choice-made","stake":"ann-1","course":"partage","state":"free","verdict":"refait"}',X'833AA7E42A524AA92535B309325BBAABD57470DB9837BC2ECC11406C82DC57FC');
INSERT INTO "events" VALUES(27,12,'stake-settled','{"kind":"stake-settled","line":{"stake":{"id":"zoë-1","owner":"zoë","chance":"noir","amount":55,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":""},"verdict":"refait","course":"prison","returned":0,"won":0,"forfeited":0,"staying":55,"after":{"id":"zoë-1","owner":"zoë","chance":"noir","amount":55,"state":"prison","share":"1","insured":false,"proof":true,"handed_back":0,"group":""},"insured":false,"premium_kept":0,"premium_returned":0,"residue":"0","premium_residue":"0"}}',X'A62A44AC6C0CCAE49AB6DACBDB49810121B7E8A53135BC8138B1D6F8E36DF302');
INSERT INTO "events" VALUES(28,12,'stake-settled','{"kind":"stake-settled","line":{"stake":{"id":"ann-1","owner":"ann","chance":"rouge","amount":150,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":""},"verdict":"refait","course":"partage","returned":75,"won":0,"forfeited":75,"staying":0,"after":null,"insured":false,"premium_kept":0,"premium_returned":0,"residue":"0","premium_residue":"0"}}',X'276FB7F31B62A0ECC56EA4896D0EBB7A30D3A2ABDE6BB812EE73EF34EDD3330A');
INSERT INTO "events" VALUES(29,12,'stake-settled','{"kind":"stake-settled","line":{"stake":{"id":"bob-1","owner":"bob","chance":"couleur","amount":200,"state":"free","share":"1","insured":true,"proof":true,"handed_back":0,"group":""},"verdict":"refait","course":"insured","returned":200,"won":0,"forfeited":0,"staying":0,"after":null,"insured":true,"premium_kept":2,"premium_returned":0,"residue":"0","premium_residue":"0"}}',X'9883675FF735AE506E4E74BF12E1B9BA052952A3803BA6A4BCDB2B60B2CFE5BA');
INSERT INTO "events" VALUES(30,12,'announced','{"kind":"announced","phrase":"en_prison","text":"En prison"}',X'CDB77B86C2096344E5DB2C8D4A321FBA3F1A167505DEF3824C6B706EBFEABAFE');
INSERT INTO "events" VALUES(31,12,'announced','{"kind":"announced","phrase":"partage","text":"Partage"}',X'29AA43115E7A7BCC1C73D08BFC5ADB6CCDD7575F5523E67A92E11DA8730340E5');
INSERT INTO "events" VALUES(32,12,'coup-settled','{"kind":"coup-settled","number":1,"players_net":-77,"bank_net":77}',X'315B15C17C7A236003FC1CE65101CBC9811F189FB4DB665608A7CBB93A08A8AF');
INSERT INTO "events" VALUES(33,13,'bets-opened','{"kind":"bets-opened","coup":2}',X'9E89817CA3BC39989975AA8C3F4B3B4A13FB80610A2026311CEEE430B9B23EC4');
INSERT INTO "events" VALUES(34,13,'announced','{"kind":"announced","phrase":"faites_vos_jeux","text":"Messieurs, faites vos jeux"}',X'75C13E8D7A4B4F8BCC98E1735E2F88283881558FDF7FC55D7184D5A84E2B951D');
INSERT INTO "events" VALUES(35,14,'stake-placed','{"kind":"stake-placed","stake":{"id":"cid-2","owner":"cid","chance":"inverse","amount":30,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":"cousins"},"premium":0}',X'19EF8C7617A8C5D7E1D23724D264F07D4477E7B5A39EC84F2F9D0C070EC869E1');
INSERT INTO "events" VALUES(36,15,'stake-insured','{"kind":"stake-insured","stake":{"id":"cid-2","owner":"cid","chance":"inverse","amount":30,"state":"free","share":"1","insured":true,"proof":true,"handed_back":0,"group":"cousins"},"premium":1}',X'8ECAA9572571356E10DB5A2E12AA9EC11FA09A40B77DB9D218ECE25B6084733C');
INSERT INTO "events" VALUES(37,16,'stake-withdrawn','{"kind":"stake-withdrawn","stake":{"id":"cid-2","owner":"cid","chance":"inverse","amount":30,"state":"free","share":"1","insured":true,"proof":true,"handed_back":0,"group":"cousins"},"taken":10,"premium":0,"left":20}',X'739610F772B31973164ACDBD9845F28242905749A7BB488188E4E3F90A1D510C');
INSERT INTO "events" VALUES(38,17,'bets-closed','{"kind":"bets-closed","coup":2}',X'44F6AD906082C913465A3C9F0B9DC867F770FF228AB1A488758803BD96D53392');
INSERT INTO "events" VALUES(39,17,'announced','{"kind":"announced","phrase":"les_jeux_sont_faits","text":"Les jeux sont faits"}',X'54324749D3D2CF7BD9AF75FB1B3F5879B2E208606E1062E91B1F99FB6F08D99D');
INSERT INTO "events" VALUES(40,17,'announced','{"kind":"announced","phrase":"rien_ne_va_plus","text":"Rien ne va plus"}',X'020DC0439D1FE5BE64F350C09CD10B4CBB764413E9BBC36E0953834289D02667');
INSERT INTO "events" VALUES(41,18,'card-turned','{"kind":"card-turned","card":"Q♥","row":"first","total":10,"place":9}',X'07A44B533A041EE5F034F3C6B76913FF54A9E07CF483F2EAD9D60511E46F1FF8');
INSERT INTO "events" VALUES(42,18,'card-turned','{"kind":"card-turned","card":"K♥","row":"first","total":20,"place":10}',X'347A67C39A3DC4553FD09E3CC7B7F7A75B15FF7D1F9F8B60CCDA7AE8FB64E669');
INSERT INTO "events" VALUES(43,18,'card-turned','{"kind":"card-turned","card":"10♦","row":"first","total":30,"place":11}',X'73B4C16182A403307431E49341985172208D05D8D042E4E106E03013EDC5BFA0');
INSERT INTO "events" VALUES(44,18,'card-turned','{"kind":"card-turned","card":"3♦","row":"first","total":33,"place":12}',X'E40BF24519F7D57C469F9D7CF31C4DBCE637DDDB2F88DBF6252CD96F85717415');
INSERT INTO "events" VALUES(45,18,'announced','{"kind":"announced","phrase":"point","text":"Trois"}',X'65DF57DA92645601EAEE499EFB202F27CF5C505DB0032A4A3581D9C99E335108');
INSERT INTO "events" VALUES(46,18,'card-turned','{"kind":"card-turned","card":"J♦","row":"second","total":10,"place":13}',X'654C8B3AE6E427A1C589E848CDEF837B3DC7EA8B8A6C4B1C16499C851BE7C972');
INSERT INTO "events" VALUES(47,18,'card-turned','{"kind":"card-turned","card":"Q♦","row":"second","total":20,"place":14}',X'48875EE84F51C4289D098CDE17F49D884E9C33459A5B4C5C85D97966D77A8C51');
INSERT INTO "events" VALUES(48,18,'card-turned','{"kind":"card-turned","card":"K♦","row":"second","total":30,"place":15}',X'892D8D810C10D638A4EAC14C9D7018F5A8EC2389FA27D190C2B0A047E25DB6F0');
INSERT INTO "events" VALUES(49,18,'card-turned','{"kind":"card-turned","card":"10♣","row":"second","total":40,"place":16}',X'5AB135CFFF5389734760AED433A15723CA20815E2F3F156D6E1592FE26B190F8');
INSERT INTO "events" VALUES(50,18,'announced','{"kind":"announced","phrase":"point","text":"Quarante"}',X'9CBF40FAF9C13DD3527AF2FD8DBA48707AE801C9AD45819732B7616171D19793');
INSERT INTO "events" VALUES(51,18,'coup-dealt','{"kind":"coup-dealt","number":2,"coup":"Q♥ K♥ 10♦ 3♦ / J♦ Q♦ K♦ 10♣","verdicts":[["rouge","lose"],["noir","win"],["couleur","lose"],["inverse","win"]]}',X'EF235F8987EA8D961FB9B30E53920B591BDB599DFDEFB16E37E4EC6DC5ED19E8');
INSERT INTO "events" VALUES(52,18,'announced','{"kind":"announced","phrase":"rouge_perd_et_couleur","text":"Rouge perd et couleur"}',X'6E1A5E7C46E90C190A1E31484C5C2A22AF0C8F9EF3FB19DBE2C15802F3E5917C');
INSERT INTO "events" VALUES(53,19,'stake-settled','{"kind":"stake-settled","line":{"stake":{"id":"cid-2","owner":"cid","chance":"inverse","amount":20,"state":"free","share":"1","insured":true,"proof":true,"handed_back":0,"group":"cousins"},"verdict":"win","course":"won","returned":20,"won":20,"forfeited":0,"staying":0,"after":null,"insured":true,"premium_kept":1,"premium_returned":0,"residue":"0","premium_residue":"4/5"}}',X'CACCCD117AE36D8AB75EB8F14D3FCCA3A5586B5F240B914A65C89FDD24134AB2');
INSERT INTO "events" VALUES(54,19,'stake-settled','{"kind":"stake-settled","line":{"stake":{"id":"zoë-1","owner":"zoë","chance":"noir","amount":55,"state":"prison","share":"1","insured":false,"proof":true,"handed_back":0,"group":""},"verdict":"win","course":"freed","returned":55,"won":0,"forfeited":0,"staying":0,"after":null,"insured":false,"premium_kept":0,"premium_returned":0,"residue":"0","premium_residue":"0"}}',X'F0702A1598A4B9F492B70B4FF2B82C1D38F61B47C18B909C3D7F984B3D60A14E');
INSERT INTO "events" VALUES(55,19,'announced','{"kind":"announced","phrase":"libre","text":"Mise libre"}',X'6FC55A0B0A6139CEBF513BAAA0447F2C81C781E488425542043E038E16899EFA');
INSERT INTO "events" VALUES(56,19,'coup-settled','{"kind":"coup-settled","number":2,"players_net":19,"bank_net":-19}',X'1E9E3748870E6CD25B0E27F3956592460773D364CABDA7A2BECB46E866621D6F');
INSERT INTO "events" VALUES(57,20,'coup-corrected','{"kind":"coup-corrected","number":2,"reason":"paid to the wrong player"}',X'EA628E9FB6F42C9D1AA4D53931078A1D6C0C03C8EDDE82DA8D4FDBFAA1162068');
INSERT INTO "events" VALUES(58,20,'stake-settled','{"kind":"stake-settled","line":{"stake":{"id":"cid-2","owner":"cid","chance":"inverse","amount":20,"state":"free","share":"1","insured":true,"proof":true,"handed_back":0,"group":"cousins"},"verdict":"win","course":"won","returned":20,"won":20,"forfeited":0,"staying":0,"after":null,"insured":true,"premium_kept":1,"premium_returned":0,"residue":"0","premium_residue":"4/5"}}',X'2A77B98623DDBB8930F2E5369ADE1DBF572FBFBC738C2FBB491035AB4D4EE2D9');
INSERT INTO "events" VALUES(59,20,'stake-settled','{"kind":"stake-settled","line":{"stake":{"id":"zoë-1","owner":"zoë","chance":"noir","amount":55,"state":"prison","share":"1","insured":false,"proof":true,"handed_back":0,"group":""},"verdict":"win","course":"freed","returned":55,"won":0,"forfeited":0,"staying":0,"after":null,"insured":false,"premium_kept":0,"premium_returned":0,"residue":"0","premium_residue":"0"}}',X'3E30305EA79D87D91615E2370E1923428E2C929440F8E5EDFC59F60060C0A506');
INSERT INTO "events" VALUES(60,20,'announced','{"kind":"announced","phrase":"libre","text":"Mise libre"}',X'2F518FBE1B22B98D40C4272410EC7784BA03784330007A2B32721CF0D4B356D4');
INSERT INTO "events" VALUES(61,20,'coup-settled','{"kind":"coup-settled","number":2,"players_net":19,"bank_net":-19}',X'42A5CB0BD9DC6E1EE2B195164270DCD39AF7A128390F593BDF39BDAE21C96472');
INSERT INTO "events" VALUES(62,21,'bets-opened','{"kind":"bets-opened","coup":3}',X'AB9E90D52BBDE8942B60E04914FF1D9F0E997C3D6801C73A6FC661EE5672D510');
INSERT INTO "events" VALUES(63,21,'announced','{"kind":"announced","phrase":"faites_vos_jeux","text":"Messieurs, faites vos jeux"}',X'4165F037E0D92D2A7669B46C807B7C1CE728C06A2F010C291EC4EF4CD1D24A15');
INSERT INTO "events" VALUES(64,22,'stake-placed','{"kind":"stake-placed","stake":{"id":"ann-3","owner":"ann","chance":"rouge","amount":20,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":""},"premium":0}',X'CCA9E3509796C37A1AAE45DC6127549D4A25B1CFF94B958E2381C15575706BBD');
INSERT INTO "events" VALUES(65,23,'bets-closed','{"kind":"bets-closed","coup":3}',X'FC3BE05AEE39118E0A909630C6DA5603EB19FABA04ACBE73E9C5F0D4D54CE67E');
INSERT INTO "events" VALUES(66,23,'announced','{"kind":"announced","phrase":"les_jeux_sont_faits","text":"Les jeux sont faits"}',X'5FA0C1CEE21271A3B274EF43CD8E4AC227A02A52964CD5F407871E587BF26D5A');
INSERT INTO "events" VALUES(67,23,'announced','{"kind":"announced","phrase":"rien_ne_va_plus","text":"Rien ne va plus"}',X'3841FEF5CB2F3319D1279365BFB8E8A168DA93D61C5439CDAC87F4C12448A6A5');
INSERT INTO "events" VALUES(68,24,'card-turned','{"kind":"card-turned","card":"10♣","row":"first","total":10,"place":17}',X'6061154056A0ED049EDC1E6BBD1AC6D79B4F0C00A676FB119AAA98E364D54661');
INSERT INTO "events" VALUES(69,25,'card-turned','{"kind":"card-turned","card":"J♣","row":"first","total":20,"place":18}',X'3431A157683891B6E97B80E5AB7EF2D903A2B48F7151A2BAE3540B4B96656374');
INSERT INTO "events" VALUES(70,26,'coup-voided','{"kind":"coup-voided","number":3,"reason":"a quarrel","lines":[{"stake":{"id":"ann-3","owner":"ann","chance":"rouge","amount":20,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":""},"verdict":"apres","course":"void","returned":20,"won":0,"forfeited":0,"staying":0,"after":null,"insured":false,"premium_kept":0,"premium_returned":0,"residue":"0","premium_residue":"0"}]}',X'05174E4C7CAF9F475332D240A0B99D8ABAF93F787E9889CFEEE38A4E829F2818');
INSERT INTO "events" VALUES(71,26,'announced','{"kind":"announced","phrase":"coup_annule","text":"Le coup est annulé"}',X'EB202AB988D218E83D5FF73171244A17F6F89078411BF499EBAD04A52EE8FA05');
INSERT INTO "events" VALUES(72,27,'bets-opened','{"kind":"bets-opened","coup":4}',X'6F4A9761609469F77435563C5820A53C642271A7706683FA1E3AB111D4465C3D');
INSERT INTO "events" VALUES(73,27,'announced','{"kind":"announced","phrase":"faites_vos_jeux","text":"Messieurs, faites vos jeux"}',X'D936ECF57DD0A5F65294BE19BF461E6496878E07EBA3B34C701067BC5B4D9C6E');
INSERT INTO "events" VALUES(74,28,'stake-placed','{"kind":"stake-placed","stake":{"id":"ann-4","owner":"ann","chance":"noir","amount":40,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":""},"premium":0}',X'A7C733FB0BACDD8D2C944F88770F54EBBF1E915E8E38987FA57900BF14BE23FA');
INSERT INTO "events" VALUES(75,29,'stake-placed','{"kind":"stake-placed","stake":{"id":"bob-4","owner":"bob","chance":"rouge","amount":35,"state":"free","share":"1","insured":false,"proof":true,"handed_back":0,"group":""},"premium":0}',X'ADB4DD0DAA47FFF36C9ADC8D46D3709AFA9A89CEF3E1092BC95EECB3D073020C');
INSERT INTO "events" VALUES(76,30,'bets-closed','{"kind":"bets-closed","coup":4}',X'4C0531856D311CC54E7B2E002B4F50A23B5E11F85C3701D2CA2FF698237620E0');
INSERT INTO "events" VALUES(77,30,'announced','{"kind":"announced","phrase":"les_jeux_sont_faits","text":"Les jeux sont faits"}',X'DE2E4DE9F6BB1125022A34A906E40E531B90F4F494700AA991C1E3D79BC2FA34');
INSERT INTO "events" VALUES(78,30,'announced','{"kind":"announced","phrase":"rien_ne_va_plus","text":"Rien ne va plus"}',X'EA6EFD49F4CDBA390DAD55757BAA01EAB50BFFE2C3145D3DB7B4069E6F4C1D29');
INSERT INTO "events" VALUES(79,31,'card-turned','{"kind":"card-turned","card":"Q♣","row":"first","total":10,"place":19}',X'7737B5C0632AEF718EABF423BE6F7DE5D95892DF874DD578A3189F4D2007E0F2');
INSERT INTO "events" VALUES(80,31,'card-turned','{"kind":"card-turned","card":"8♠","row":"first","total":18,"place":20}',X'CE9C0CEC4D0A6A46054CE7C5F6C27D79F173DDEA9388DBFCBDF424C56409AEBC');
INSERT INTO "events" VALUES(81,31,'card-turned','{"kind":"card-turned","card":"K♣","row":"first","total":28,"place":21}',X'76313E27361809F98F90301AE43E267B631BD64180A59DFA7EF5B16EA7544E54');
INSERT INTO "events" VALUES(82,31,'card-turned','{"kind":"card-turned","card":"10♠","row":"first","total":38,"place":22}',X'527B95263328ACA8E470330FFDBFB850733A746771D461D4ACA5B94787B9CB7B');
INSERT INTO "events" VALUES(83,31,'announced','{"kind":"announced","phrase":"point","text":"Huit"}',X'F8C7711348DAA18E46E5BD666EB53DF6D59CB2782AFAE7C0AB6888A3BFE82269');
INSERT INTO "events" VALUES(84,31,'card-turned','{"kind":"card-turned","card":"J♠","row":"second","total":10,"place":23}',X'4232DE6E4B84915B82BE606A81C0DE18954CEEF8C4E8D61A29FFE72425772EBE');
INSERT INTO "events" VALUES(85,31,'card-turned','{"kind":"card-turned","card":"2♥","row":"second","total":12,"place":24}',X'82A1787F11818F94ACA940754519B11D5E5C29A19E745564C24D94A45C9ECD0A');
INSERT INTO "events" VALUES(86,31,'card-turned','{"kind":"card-turned","card":"Q♠","row":"second","total":22,"place":25}',X'504EAAF2A5CFD32B1EB6CAA402965273C0942E5BDD1F924784E71C25380E0FB9');
INSERT INTO "events" VALUES(87,31,'card-turned','{"kind":"card-turned","card":"K♠","row":"second","total":32,"place":26}',X'B18AD205D39128F2894A9B29E7C5487D3A7E5C35202DCDACEAC21FE1EAD1F870');
INSERT INTO "events" VALUES(88,31,'announced','{"kind":"announced","phrase":"point","text":"Deux"}',X'7218F1AD778B91028AE398B65C7EB2BAA4018D459340A62227AE28530861CF6F');
INSERT INTO "events" VALUES(89,31,'coup-dealt','{"kind":"coup-dealt","number":4,"coup":"Q♣ 8♠ K♣ 10♠ / J♠ 2♥ Q♠ K♠","verdicts":[["rouge","win"],["noir","lose"],["couleur","lose"],["inverse","win"]]}',X'DB8B087C4E6A5737E60AB3B3B30306FE05280A1704777BC75D6B534BB60485BA');
INSERT INTO "events" VALUES(90,31,'announced','{"kind":"announced","phrase":"rouge_gagne_couleur_perd","text":"Rouge gagne, la couleur perd"}',X'33FCF1ACF655B177C213E605054E79EDCF1EC1FCFFA69119A5437241E8FD5D7F');
CREATE TABLE head (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    sequence INTEGER NOT NULL,
    events INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;
INSERT INTO "head" VALUES(1,31,91,X'33FCF1ACF655B177C213E605054E79EDCF1EC1FCFFA69119A5437241E8FD5D7F');
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
INSERT INTO "meta" VALUES('engine','0.1.0');
INSERT INTO "meta" VALUES('fingerprint','f1:1381efe47ec44e26e907351c6c612462d6244e18d1637f79d4676e7239a58198');
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
burn = 0
burn_shown = false
prisoners_at_end = "carry"
cut_by = "player"
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
step = 0
both_sides = true
associations = "refused"
move_prisoners = false
late_bets = "refused"
progression = "none"
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
INSERT INTO "meta" VALUES('opening','5');
INSERT INTO "meta" VALUES('schema','1');
INSERT INTO "meta" VALUES('table','salle 3');
CREATE TABLE snapshots (
    sequence INTEGER PRIMARY KEY,
    body TEXT NOT NULL,
    hash BLOB NOT NULL
) STRICT;
INSERT INTO "snapshots" VALUES(0,'{"schema":1,"engine":"0.1.0","house":{"name":"france-2007","fingerprint":"f1:1381efe47ec44e26e907351c6c612462d6244e18d1637f79d4676e7239a58198"},"table":"salle 3","opening":5,"state":{"phase":"no-shoe","shoe_number":0,"coup_number":0,"shoe":null,"cards":"","first_cards":0,"marker_shown":false,"coup":null,"stakes":[],"prisoners":[],"choices":[],"accounts":[],"bank":0,"history":[],"events":0,"before":null},"answered":[]}',X'9B513D90F8157D8B453ED0878A2333ADB8ACC3DE160987885089FBD745AADD8B');
INSERT INTO "snapshots" VALUES(1,'{"schema":1,"engine":"0.1.0","house":{"name":"france-2007","fingerprint":"f1:1381efe47ec44e26e907351c6c612462d6244e18d1637f79d4676e7239a58198"},"table":"salle 3","opening":5,"state":{"phase":"cut","shoe_number":1,"coup_number":0,"shoe":{"live":false,"packs":6,"cards":"10♠ J♠ Q♠ A♠ K♠ 10♥ J♥ A♥ Q♥ K♥ 10♦ 3♦ J♦ Q♦ K♦ 10♣ 10♣ J♣ Q♣ 8♠ K♣ 10♠ J♠ 2♥ Q♠ K♠ 10♥ A♦ J♥ Q♥ K♥ A♣ A♠ A♠ A♠ A♠ A♠ 2♠ 2♠ 2♠ 2♠ 2♠ 2♠ 3♠ 3♠ 3♠ 3♠ 3♠ 3♠ 4♠ 4♠ 4♠ 4♠ 4♠ 4♠ 5♠ 5♠ 5♠ 5♠ 5♠ 5♠ 6♠ 6♠ 6♠ 6♠ 6♠ 6♠ 7♠ 7♠ 7♠ 7♠ 7♠ 7♠ 8♠ 8♠ 8♠ 8♠ 8♠ 9♠ 9♠ 9♠ 9♠ 9♠ 9♠ 10♠ 10♠ 10♠ 10♠ J♠ J♠ J♠ J♠ Q♠ Q♠ Q♠ Q♠ K♠ K♠ K♠ K♠ A♥ A♥ A♥ A♥ A♥ 2♥ 2♥ 2♥ 2♥ 2♥ 3♥ 3♥ 3♥ 3♥ 3♥ 3♥ 4♥ 4♥ 4♥ 4♥ 4♥ 4♥ 5♥ 5♥ 5♥ 5♥ 5♥ 5♥ 6♥ 6♥ 6♥ 6♥ 6♥ 6♥ 7♥ 7♥ 7♥ 7♥ 7♥ 7♥ 8♥ 8♥ 8♥ 8♥ 8♥ 8♥ 9♥ 9♥ 9♥ 9♥ 9♥ 9♥ 10♥ 10♥ 10♥ 10♥ J♥ J♥ J♥ J♥ Q♥ Q♥ Q♥ Q♥ K♥ K♥ K♥ K♥ A♦ A♦ A♦ A♦ A♦ 2♦ 2♦ 2♦ 2♦ 2♦ 2♦ 3♦ 3♦ 3♦ 3♦ 3♦ 4♦ 4♦ 4♦ 4♦ 4♦ 4♦ 5♦ 5♦ 5♦ 5♦ 5♦ 5♦ 6♦ 6♦ 6♦ 6♦ 6♦ 6♦ 7♦ 7♦ 7♦ 7♦ 7♦ 7♦ 8♦ 8♦ 8♦ 8♦ 8♦ 8♦ 9♦ 9♦ 9♦ 9♦ 9♦ 9♦ 10♦ 10♦ 10♦ 10♦ 10♦ J♦ J♦ J♦ J♦ J♦ Q♦ Q♦ Q♦ Q♦ Q♦ K♦ K♦ K♦ K♦ K♦ A♣ A♣ A♣ A♣ A♣ 2♣ 2♣ 2♣ 2♣ 2♣ 2♣ 3♣ 3♣ 3♣ 3♣ 3♣ 3♣ 4♣ 4♣ 4♣ 4♣ 4♣ 4♣ 5♣ 5♣ 5♣ 5♣ 5♣ 5♣ 6♣ 6♣ 6♣ 6♣ 6♣ 6♣ 7♣ 7♣ 7♣ 7♣ 7♣ 7♣ 8♣ 8♣ 8♣ 8♣ 8♣ 8♣ 9♣ 9♣ 9♣ 9♣ 9♣ 9♣ 10♣ 10♣ 10♣ 10♣ J♣ J♣ J♣ J♣ J♣ Q♣ Q♣ Q♣ Q♣ Q♣ K♣ K♣ K♣ K♣ K♣","position":0,"burned":0,"marker":null},"cards":"","first_cards":0,"marker_shown":false,"coup":null,"stakes":[],"prisoners":[],"choices":[],"accounts":[],"bank":0,"history":[],"events":2,"before":null},"answered":[[{"kind":"open-shoe","id":"c1","at":"2024-05-14T21:01","cards":["10♠","J♠","Q♠","A♠","K♠","10♥","J♥","A♥","Q♥","K♥","10♦","3♦","J♦","Q♦","K♦","10♣","10♣","J♣","Q♣","8♠","K♣","10♠","J♠","2♥","Q♠","K♠","10♥","A♦","J♥","Q♥","K♥","A♣","A♠","A♠","A♠","A♠","A♠","2♠","2♠","2♠","2♠","2♠","2♠","3♠","3♠","3♠","3♠","3♠","3♠","4♠","4♠","4♠","4♠","4♠","4♠","5♠","5♠","5♠","5♠","5♠","5♠","6♠","6♠","6♠","6♠","6♠","6♠","7♠","7♠","7♠","7♠","7♠","7♠","8♠","8♠","8♠","8♠","8♠","9♠","9♠","9♠","9♠","9♠","9♠","10♠","10♠","10♠","10♠","J♠","J♠","J♠","J♠","Q♠","Q♠","Q♠","Q♠","K♠","K♠","K♠","K♠","A♥","A♥","A♥","A♥","A♥","2♥","2♥","2♥","2♥","2♥","3♥","3♥","3♥","3♥","3♥","3♥","4♥","4♥","4♥","4♥","4♥","4♥","5♥","5♥","5♥","5♥","5♥","5♥","6♥","6♥","6♥","6♥","6♥","6♥","7♥","7♥","7♥","7♥","7♥","7♥","8♥","8♥","8♥","8♥","8♥","8♥","9♥","9♥","9♥","9♥","9♥","9♥","10♥","10♥","10♥","10♥","J♥","J♥","J♥","J♥","Q♥","Q♥","Q♥","Q♥","K♥","K♥","K♥","K♥","A♦","A♦","A♦","A♦","A♦","2♦","2♦","2♦","2♦","2♦","2♦","3♦","3♦","3♦","3♦","3♦","4♦","4♦","4♦","4♦","4♦","4♦","5♦","5♦","5♦","5♦","5♦","5♦","6♦","6♦","6♦","6♦","6♦","6♦","7♦","7♦","7♦","7♦","7♦","7♦","8♦","8♦","8♦","8♦","8♦","8♦","9♦","9♦","9♦","9♦","9♦","9♦","10♦","10♦","10♦","10♦","10♦","J♦","J♦","J♦","J♦","J♦","Q♦","Q♦","Q♦","Q♦","Q♦","K♦","K♦","K♦","K♦","K♦","A♣","A♣","A♣","A♣","A♣","2♣","2♣","2♣","2♣","2♣","2♣","3♣","3♣","3♣","3♣","3♣","3♣","4♣","4♣","4♣","4♣","4♣","4♣","5♣","5♣","5♣","5♣","5♣","5♣","6♣","6♣","6♣","6♣","6♣","6♣","7♣","7♣","7♣","7♣","7♣","7♣","8♣","8♣","8♣","8♣","8♣","8♣","9♣","9♣","9♣","9♣","9♣","9♣","10♣","10♣","10♣","10♣","J♣","J♣","J♣","J♣","J♣","Q♣","Q♣","Q♣","Q♣","Q♣","K♣","K♣","K♣","K♣","K♣"],"source":"test"},[{"kind":"shoe-opened","shoe":1,"packs":6,"live":false,"source":"test"},{"kind":"announced","phrase":"cut","text":"Messieurs, à la coupe"}]]]}',X'37C3DDF13E1CE362A8565759B541B2EF26BDE9302819200DDDF2E1586507F182');
COMMIT;

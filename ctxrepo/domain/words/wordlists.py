"""Words that say nothing about what a prompt is about, in the languages most prompts are written in."""

# English; German; French; Spanish, Portuguese and Italian.
_STOP = """
    a about after again all also am an and any are as at be been but by can could did do does doing done
    down each else for from get go got had has have he her here him his how i if in into is it its just let
    like make me more most my need no not now of off on one only or other our out over own please put s same
    see she should so some such t than that the their them then there these they this those to too try under
    up us use used using very want was way we well were what when where which while who why will with would
    you your
    aber als am an auch auf aus bei bin bis bitte da das dass dem den der des die doch du ein eine einem
    einen er es für hat ich ihr im ist kann mich mir mit nach nicht noch nur oder schon sich sie
    sind um und uns von vor war was wenn wer wie wir zu zum zur
    au aux avec ce ces cette dans de du elle en est et il je la le les leur mais mes moi ne nous ou par pas
    pour que qui sa se ses sur te tu un une vous al como con del el ella eso esta este esto ha hay las
    lo los más mi muy para pero por porque su sus una uno ya yo ao aos com da do das dos em essa esse isso
    mas na nas nos não ou pela pelo por são sem seu sua também um uma che chi ci come della di e gli ho
    il ma nel non per più questo sono
"""

# English; German; French; Spanish, Portuguese and Italian; Russian; then Chinese, Japanese and Korean, where
# all that stands between two signs of punctuation is one word here.
_SOCIAL = """
    ok okay k kk yes yeah yep yup no nope sure thanks thank thx ty cheers great good nice cool perfect
    awesome excellent amazing wonderful fine right correct exactly agreed looks look sounds lgtm done
    continue proceed carry keep going ahead start next hello hi hey morning evening bye goodbye later sorry
    welcome work job much lot love it's that's let's
    ja nein danke dankeschön vielen dank gut super prima toll klasse genau passt stimmt weiter mach alles
    klar perfekt sieht aus hallo tschüss gerne
    oui non merci beaucoup bien parfait d'accord c'est accord continue continuez vas y bonjour salut
    super génial
    sí si gracias muchas vale bien perfecto claro sigue continúa continua adelante hola genial sim obrigado
    obrigada muito bom ótimo perfeito certo continue olá grazie mille bene perfetto va ciao avanti
    да нет спасибо хорошо отлично ладно продолжай давай привет
    好 好的 可以 谢谢 谢谢你 谢了 不错 很好 继续 请继续 没问题 是的 对 はい いいえ 了解 了解です
    了解しました ありがとう ありがとうございます 続けて 続けてください お願いします いいね 大丈夫です 네 예
    아니요 감사합니다 고마워 좋아 좋아요 계속 계속해 계속해줘 알겠습니다
"""

STOP = frozenset(_STOP.split())
"""Words a search does without."""

SOCIAL = frozenset(_SOCIAL.split())
"""Words that thank, agree, greet or tell to go on."""
